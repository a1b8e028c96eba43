'use client';

import { useCallback, useMemo } from 'react';
import { ApiFailure } from '@/components/api/api-failure';
import type { Attempt } from '@/components/api/attempt';
import type { Step } from '@/components/api/timeline';
import {
  STEPS_MAX,
  useSession,
  useSessionAttempts,
  useSessionFindings,
  useStoredFindings,
  useTimeline,
} from '@/components/api/use-session';
import { formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { entriesOf, entryAt } from '@/components/session/entries';
import { FindingsSection } from '@/components/session/findings-section';
import { RecordList } from '@/components/session/record-list';
import { SessionHead } from '@/components/session/session-head';
import css from '@/components/session/session-page.module.css';
import { SessionPlot } from '@/components/session/session-plot';
import { StatePanel } from '@/components/session/state-panel';
import { isOfStream, streamOf } from '@/components/session/stream-of';
import { toldInPartWords } from '@/components/session/told-in-part';
import { useSelection } from '@/components/session/use-selection';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { useRowKeys } from '@/components/table/use-row-keys';
import { buttonClass } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { Scroller } from '@/components/ui/scroller';
import { TextLink } from '@/components/ui/text-link';
import type { StoredFinding } from '@/lib/audit/answer-schema';

/** One session: what happened in order, its picture, and the state and proof at the selected record. */
export function SessionPage({ reference }: { readonly reference: string }) {
  const session = useSession(reference);
  const timeline = useTimeline(reference);
  const attempts = useSessionAttempts(reference);
  const findings = useSessionFindings(reference);
  const stored = useStoredFindings(reference);
  const isUnknown = session.error instanceof ApiFailure && session.error.status === 404;
  return (
    <>
      <TopBar
        title={<code>{session.data?.label ?? shortText(reference, 13)}</code>}
        parent={{ href: '/sessions', name: 'Sessions' }}
        isDense
      >
        <SightLink className={buttonClass({})} href={`/sessions/${reference}/debug`}>
          <Icon name="play" size={12} />
          Debug
        </SightLink>
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown && (
          <Empty title="No session has this reference" acts={<TextLink href="/sessions">All sessions</TextLink>}>
            No record of it was stored here, or retention has taken them.
          </Empty>
        )}
        {!isUnknown && <QueryFailure what="The session" query={session} />}
        {!isUnknown && <QueryFailure what="The timeline" query={timeline} />}
        {session.data !== undefined && <SessionHead session={session.data} />}
        {timeline.data !== undefined && (
          <Panes steps={timeline.data} attempts={attempts.data?.items ?? []} findings={findings} stored={stored.data?.items ?? []} />
        )}
        {timeline.isPending && !isUnknown && (
          <div className={css['plot']}>
            <Bone height={460} />
          </div>
        )}
      </main>
    </>
  );
}

interface PanesProps {
  readonly steps: readonly Step[];
  readonly attempts: readonly Attempt[];
  readonly findings: ReturnType<typeof useSessionFindings>;
  readonly stored: readonly StoredFinding[];
}

function Panes({ steps: all, attempts, findings, stored }: PanesProps) {
  const byId = useMemo(() => new Map(attempts.map((attempt) => [attempt.id, attempt])), [attempts]);
  const streams = useMemo(() => streamsOf(all), [all]);
  const whole = useMemo(() => plotOfTimeline(all, byId), [all, byId]);
  const { index, select, stream: chosen, attempt: named, setStream } = useSelection(all, whole.attempts);
  const stream = chosen ?? streamNamed(all, named) ?? streamOf(all[index]?.record ?? { type: 'boot' }) ?? streams[0] ?? 'get';
  const steps = useMemo(() => all.filter((step) => isOfStream(step.record, stream)), [all, stream]);
  const data = useMemo(() => (streams.length > 1 ? plotOfTimeline(steps, byId) : whole), [streams.length, steps, byId, whole]);
  const marks = useMemo(() => new Map(data.attempts.map((attempt) => [attempt.key, attempt.mark])), [data]);
  const entries = useMemo(() => entriesOf(steps), [steps]);
  const toldInPart = useMemo(() => toldInPartWords(all.map(({ record }) => record)), [all]);
  const current = entryAt(entries, index);
  const step = steps.find((one) => one.index === index) ?? steps.at(-1);
  const key = step === undefined || step.record.type !== 'resume_attempt' ? null : (step.record.id ?? `step-${step.index}`);

  const selectAttempt = useCallback(
    (attempt: string) => {
      const entry = entries.find((one) => one.attempt === attempt);
      if (entry !== undefined) select(entry.last);
    },
    [entries, select],
  );
  const selectRecord = useCallback(
    (record: number) => {
      setStream(streamOf(all[record]?.record ?? { type: 'boot' }) ?? stream);
      select(record);
    },
    [all, stream, setStream, select],
  );
  const onMove = useCallback(
    (by: 1 | -1) => {
      const next = entries[Math.min(entries.length - 1, Math.max(0, current + by))];
      if (next !== undefined) select(next.last);
    },
    [entries, current, select],
  );
  const nothing = useCallback(() => {}, []);
  useRowKeys({ onMove, onOpen: nothing, onClose: nothing });

  return (
    <div className={css['cols']}>
      <Scroller label="What happened" className={css['list']}>
        <div className={css['colHead']}>
          <h2>What happened</h2>
          <span className={css['faint']}>
            record {formatCount(index + 1)} of {formatCount(all.length)}
          </span>
        </div>
        <RecordList entries={entries} current={current} marks={marks} onSelect={select} />
        <div className={css['foot']}>
          <span>
            <kbd>J</kbd> <kbd>K</kbd> next, previous
          </span>
          {all.length >= STEPS_MAX && <span>Only the first {formatCount(STEPS_MAX)} records are shown.</span>}
        </div>
      </Scroller>
      <div className={css['centre']}>
        {toldInPart !== null && <p className={css['note']}>{toldInPart}</p>}
        {streams.length > 1 && <Streams streams={streams} chosen={stream} onChoose={setStream} />}
        <SessionPlot data={data} selected={key} playhead={step === undefined ? null : xOfStep(step, data.axis)} onSelect={selectAttempt} />
      </div>
      <aside className={css['side']} aria-label="State and proof">
        {step !== undefined && <StatePanel step={step} attempt={key === null ? null : (byId.get(key) ?? null)} />}
        <FindingsSection query={findings} stored={stored} selected={index} onSelect={selectRecord} />
      </aside>
    </div>
  );
}

interface StreamsProps {
  readonly streams: readonly string[];
  readonly chosen: string;
  readonly onChoose: (stream: string) => void;
}

function Streams({ streams, chosen, onChoose }: StreamsProps) {
  return (
    <div className={css['colHead']}>
      <h2>Stream</h2>
      <div className={css['streams']}>
        {streams.map((stream) => (
          <button
            key={stream}
            type="button"
            className={css['stream']}
            aria-pressed={stream === chosen}
            title={stream}
            onClick={() => onChoose(stream)}
          >
            {shortText(stream, 18)}
          </button>
        ))}
      </div>
    </div>
  );
}

function streamsOf(steps: readonly Step[]): string[] {
  const streams = new Set<string>();
  for (const { record } of steps) {
    const stream = streamOf(record);
    if (stream !== null) streams.add(stream);
  }
  return [...streams];
}

function streamNamed(steps: readonly Step[], attempt: string | null): string | null {
  const step = attempt === null ? undefined : steps.find((one) => one.record.id === attempt);
  return step === undefined ? null : streamOf(step.record);
}

function xOfStep(step: Step, axis: 'time' | 'order'): number {
  return axis === 'time' && step.at !== null ? Date.parse(step.at) : step.index;
}
