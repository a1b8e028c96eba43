'use client';

import { type ReactNode, useCallback, useDeferredValue, useMemo } from 'react';
import css from '@/components/debugger/debugger.module.css';
import { type DebuggerState, type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import { deedsOf } from '@/components/debugger/deeds';
import type { History } from '@/components/debugger/model/history';
import { lineAt, readFilter } from '@/components/debugger/model/record-filter';
import { ConsequencesPane } from '@/components/debugger/panes/consequences-pane';
import { FindingsPane } from '@/components/debugger/panes/findings-pane';
import { KeptPane } from '@/components/debugger/panes/kept-pane';
import { ProofPane } from '@/components/debugger/panes/proof-pane';
import { RecordLines } from '@/components/debugger/panes/record-lines';
import { StatePane } from '@/components/debugger/panes/state-pane';
import { TwinTable } from '@/components/debugger/panes/twin-table';
import { SessionSwitch } from '@/components/debugger/session-switch';
import { Minimap } from '@/components/debugger/stage/minimap';
import { rowsHeight, SessionRows } from '@/components/debugger/stage/session-rows';
import { Stage } from '@/components/debugger/stage/stage';
import { StageHead } from '@/components/debugger/stage-head';
import { Transport } from '@/components/debugger/transport';
import { useDebuggerKeys } from '@/components/debugger/use-debugger-keys';
import { useDebuggerUrl } from '@/components/debugger/use-debugger-url';
import { usePlayback } from '@/components/debugger/use-playback';
import { filterLines, type Scene, useExplainer, useScene } from '@/components/debugger/use-scene';
import { useSteadyIndex } from '@/components/debugger/use-steady-index';
import { toldInPartWords } from '@/components/session/told-in-part';
import { useViewportHeight } from '@/components/ui/use-viewport-height';
import { WhatIfPane } from '@/components/whatif/what-if-pane';
import type { Finding } from '@/lib/audit/finding';

/** What stands above and below the plot. */
const BESIDE_PLOT_PX = 460;
const SWITCH_PX = 38;
const PLOT_PX_MIN = 220;
const PLOT_PX_MAX = 640;

interface DebuggerProps {
  readonly history: History;
  readonly findings: readonly Finding[];
  /** Sections below those of the playhead. */
  readonly children?: ReactNode;
}

/** The timeline debugger of a history: what happened, its picture on one clock, and the state and proof at the playhead. */
export function Debugger({ history, findings, children }: DebuggerProps) {
  const explainer = useExplainer(history);
  const store = useDebuggerUrl(history, firstOf(history, findings));
  const session = useDebuggerState(store, (state) => state.session);
  const stream = useDebuggerState(store, (state) => state.stream);
  const scene = useScene(history, findings, explainer, session, stream);
  return scene === null ? null : (
    <Panes scene={scene} store={store}>
      {children}
    </Panes>
  );
}

/** Where one begins: at the first thing that went wrong, else at the end. */
function firstOf(history: History, findings: readonly Finding[]): number {
  const worst = findings.find(({ severity }) => severity === 'critical') ?? findings[0];
  const about = worst?.records.find((index) => history.records[index]?.type === 'resume_attempt') ?? worst?.index;
  return about ?? Math.max(0, history.records.length - 1);
}

function besidePlotPx({ history, part }: Scene): number {
  const sessions = history.sessions.length;
  const isSwitched = sessions > 1 || part.streams.length > 1;
  return BESIDE_PLOT_PX + (isSwitched ? SWITCH_PX : 0) + (sessions > 1 ? rowsHeight(sessions) : 0);
}

interface PanesProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly children: ReactNode;
}

function Panes({ scene, store, children }: PanesProps) {
  const deeds = useMemo(() => deedsOf(scene, store), [scene, store]);
  const filter = useDeferredValue(useDebuggerState(store, (state) => state.filter));
  const isTable = useDebuggerState(store, (state) => state.isTable);
  const below = useDebuggerState(store, (state) => state.below);
  const lines = useMemo(() => filterLines(scene, readFilter(filter)), [scene, filter]);
  const height = Math.min(PLOT_PX_MAX, Math.max(PLOT_PX_MIN, useViewportHeight() - besidePlotPx(scene)));
  const move = useCallback(
    (by: 1 | -1) => {
      const here = lineAt(lines, store.state.index);
      const after = lines.findIndex(({ entry }) => entry.first > store.state.index);
      const next = here >= 0 ? lines[here + by] : lines[by === 1 ? after : (after < 0 ? lines.length : after) - 1];
      if (next !== undefined) deeds.select(next.entry.last);
    },
    [lines, store, deeds],
  );
  useDebuggerKeys(deeds, store, move);
  usePlayback(store, deeds);
  return (
    <div className={css['cols']} data-testid="debugger" data-judged={scene.explainer !== null} data-below={below}>
      <div className={css['list']}>
        <RecordLines lines={lines} total={scene.history.records.length} store={store} onSelect={deeds.select} />
      </div>
      <div className={css['centre']}>
        <SessionSwitch scene={scene} store={store} />
        <ToldInPart scene={scene} />
        <StageHead scene={scene} store={store} />
        {isTable ? (
          <TwinTable scene={scene} lines={lines} store={store} onSelect={deeds.select} />
        ) : (
          <>
            <Stage scene={scene} store={store} plotHeight={height} />
            <Minimap scene={scene} store={store} />
            {scene.history.sessions.length > 1 && <SessionRows scene={scene} store={store} />}
          </>
        )}
        <Transport scene={scene} store={store} deeds={deeds} />
        <Hints />
      </div>
      <Below below={below} store={store} />
      <Side scene={scene} store={store} onSelect={deeds.select}>
        {children}
      </Side>
    </div>
  );
}

/** Says so where the records of the session in sight are not all that happened. */
function ToldInPart({ scene: { history, part } }: { readonly scene: Scene }) {
  const words = useMemo(() => toldInPartWords(part.indices.flatMap((index) => history.records[index] ?? [])), [history, part]);
  return words === null ? null : <p className={css['note']}>{words}</p>;
}

const BELOW = [
  ['state', 'State and proof'],
  ['list', 'What happened'],
] as const;

/** Chooses what stands below the picture, on screens without room for list and state beside it. */
function Below({ below, store }: { readonly below: DebuggerState['below']; readonly store: DebuggerStore }) {
  return (
    <fieldset className={css['below']} aria-label="Below the picture">
      {BELOW.map(([name, words]) => (
        <button key={name} type="button" aria-pressed={name === below} onClick={() => store.set({ below: name })}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}

interface SideProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly onSelect: (index: number) => void;
  readonly children: ReactNode;
}

function Side({ scene, store, onSelect, children }: SideProps) {
  const index = useSteadyIndex(store);
  return (
    <aside className={css['side']} aria-label="State and proof">
      <StatePane scene={scene} index={index} />
      <ProofPane scene={scene} index={index} onSelect={onSelect} />
      <ConsequencesPane scene={scene} index={index} onSelect={onSelect} />
      <KeptPane scene={scene} store={store} onSelect={onSelect} />
      <FindingsPane findings={scene.findings} selected={index} onSelect={onSelect} />
      <WhatIfPane scene={scene} onSelect={onSelect} />
      {children}
    </aside>
  );
}

const HINTS = [
  [['J', 'K'], 'next, previous'],
  [[',', '.'], 'step'],
  [['W', 'S', 'A', 'D'], 'zoom, pan'],
  [['0'], 'show all'],
  [['M'], 'mark'],
  [['P'], 'pin'],
  [['T'], 'table'],
  [['/'], 'filter'],
] as const;

function Hints() {
  return (
    <p className={css['hints']}>
      {HINTS.map(([keys, words]) => (
        <span key={words}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {words}
        </span>
      ))}
    </p>
  );
}
