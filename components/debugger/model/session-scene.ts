import type { Step } from '@/components/api/timeline';
import type { History, SessionPart } from '@/components/debugger/model/history';
import { instantText } from '@/lib/replay/fold-timeline';
import { createTimeline } from '@/lib/replay/timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** One session of a history, folded: each of its records with the state of its stream after it. */
export interface SessionScene {
  readonly part: SessionPart;
  /** In order; `index` is the place in the whole history. */
  readonly steps: readonly Step[];
}

/** Folds one session. Its state depends on no other session's records, so that an incident is folded as it is looked at. */
export function foldSession(history: History, part: SessionPart): SessionScene {
  const records: TelemetryRecord[] = [];
  for (const index of part.indices) {
    const record = history.records[index];
    if (record !== undefined) records.push(record);
  }
  const steps: Step[] = [];
  for (const state of createTimeline(records).states()) {
    const index = part.indices[steps.length];
    const record = records[steps.length];
    if (index === undefined || record === undefined) break;
    steps.push({ index, at: instantText(record.at), record, state, findings: [] });
  }
  return { part, steps };
}

/** The steps that belong in the picture of a stream: its own, and those of the whole session. */
export function stepsOfStream(scene: SessionScene, history: History, stream: string): Step[] {
  return scene.steps.filter(({ index }) => (history.streams[index] ?? stream) === stream);
}

/** The step at or before record `index` whose state is that of `stream`; null before the first. */
export function stepAsOf(steps: readonly Step[], index: number): Step | null {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle]?.index ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1] ?? null;
}
