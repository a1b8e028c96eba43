import type { Step } from '@/components/api/timeline';
import { type History, readHistory, type SessionPart } from '@/components/debugger/model/history';
import { type MarkedAttempt, markAttempts } from '@/components/debugger/model/judgements';
import { foldSession } from '@/components/debugger/model/session-scene';
import type { PlotAttempt, PlotData } from '@/components/plot/plot-data';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import type { Sample } from '@/components/samples/sample';
import { createExplainer, type Explainer } from '@/lib/replay/explain';
import type { TelemetryRecord } from '@/lib/wire/schema';

export const S01_RECORDS = recordsOf(SAMPLE_S01);
export const S02_RECORDS = recordsOf(SAMPLE_S02);

/** A history as the panes see it, of its first session. */
export interface SeenHistory {
  readonly history: History;
  readonly explainer: Explainer;
  readonly part: SessionPart;
  readonly steps: readonly Step[];
  readonly marks: ReadonlyMap<number, MarkedAttempt>;
  readonly data: PlotData;
  readonly plotted: ReadonlyMap<number, PlotAttempt>;
}

export function seen(records: readonly TelemetryRecord[]): SeenHistory {
  const history = readHistory(records);
  const explainer = createExplainer(records);
  const [part] = history.sessions;
  if (part === undefined) throw new Error('a history with a session is needed');
  const marks = new Map(markAttempts(history, explainer).map((attempt) => [attempt.index, attempt]));
  const { steps } = foldSession(history, part);
  const known = new Map(
    [...marks].map(([index, { mark, judged }]) => [
      records[index]?.id ?? `step-${index}`,
      judged === null ? { mark } : { mark, ruled: judged.decision },
    ]),
  );
  const data = plotOfTimeline(steps, known, history.axis);
  const places = steps.filter(({ record }) => record.type === 'resume_attempt').map(({ index }) => index);
  const plotted = new Map(data.attempts.flatMap((attempt, n) => (places[n] === undefined ? [] : [[places[n], attempt] as const])));
  return { history, explainer, part, steps, marks, data, plotted };
}

function recordsOf(sample: Sample): TelemetryRecord[] {
  let next = 0;
  return sample.records(Date.UTC(2025, 11, 1, 2, 14), 'token', () => `00000000-0000-4000-8000-${String(next++).padStart(12, '0')}`);
}
