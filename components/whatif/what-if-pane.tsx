'use client';

import { memo, useMemo } from 'react';
import type { Scene } from '@/components/debugger/use-scene';
import { countOf, formatCount } from '@/components/format/count';
import { Button } from '@/components/ui/button';
import { changeOf, NO_CHANGE } from '@/components/whatif/change-draft';
import { ChangeFields } from '@/components/whatif/change-fields';
import { ChangedVerdicts } from '@/components/whatif/changed-verdicts';
import { meanEventBytes } from '@/components/whatif/mean-event-bytes';
import { RetentionCurve } from '@/components/whatif/retention-curve';
import { useChangeDraft } from '@/components/whatif/use-change-draft';
import { useWhatIf } from '@/components/whatif/use-what-if';
import css from '@/components/whatif/whatif.module.css';
import type { AttemptCase } from '@/lib/whatif/attempt-case';
import { adviseRetention, needsOf } from '@/lib/whatif/retention';

interface WhatIfPaneProps {
  readonly scene: Scene;
  readonly onSelect: (index: number) => void;
}

/** What the attempts of this history would have met under another buffer, rule or pace; pure, over recorded facts. */
export const WhatIfPane = memo(function WhatIfPane({ scene, onSelect }: WhatIfPaneProps) {
  const { explainer, history } = scene;
  if (explainer === null || explainer.cases.length === 0) return null;
  return <Tried cases={explainer.cases} history={history} onSelect={onSelect} />;
});

interface TriedProps {
  readonly cases: readonly AttemptCase[];
  readonly history: Scene['history'];
  readonly onSelect: (index: number) => void;
}

function Tried({ cases, history, onSelect }: TriedProps) {
  const [draft, setDraft] = useChangeDraft();
  const change = useMemo(() => changeOf(draft), [draft]);
  const state = useWhatIf(cases, change);
  const eventBytes = useMemo(() => meanEventBytes(history.records), [history.records]);
  const advice = useMemo(() => adviseRetention(needsOf(cases), eventBytes), [cases, eventBytes]);
  const eventsMax = Math.max(64, (advice?.measuredUpTo ?? 0) * 2, (advice?.keptNow ?? 0) * 2);
  const isUnchanged = Object.keys(change).length === 0;
  return (
    <section aria-label="What if">
      <h2>
        What if <span className={css['faint']}>{countOf(cases.length, 'attempt')} of this history</span>
      </h2>
      <ChangeFields
        draft={draft}
        onChange={setDraft}
        eventsMax={eventsMax}
        bytesMax={eventBytes === null ? null : eventsMax * eventBytes}
        secondsMax={Math.max(10, Math.ceil((history.toX - history.fromX) / 1_000))}
        hasClock={history.axis === 'time'}
      />
      {state.kind === 'working' ? (
        <p className={css['faint']}>Deciding again, {formatCount(state.done)} done</p>
      ) : (
        !isUnchanged && <ChangedVerdicts answer={state.answer} onSelect={onSelect} />
      )}
      {!isUnchanged && <Button onClick={() => setDraft(NO_CHANGE)}>As it was</Button>}
      {advice !== null && <RetentionCurve advice={advice} tried={draft.events} />}
    </section>
  );
}
