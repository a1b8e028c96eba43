import type { Step } from '@/components/api/timeline';
import { emitWords, type RecordWords, recordWords } from '@/components/session/record-words';
import { streamOf } from '@/components/session/stream-of';
import type { RecordOf } from '@/lib/wire/schema';

/** One line of the list of records: a record, or a run of emissions that nothing came between. */
export interface Entry {
  /** Index of its first step in the timeline, and of its last. */
  readonly first: number;
  readonly last: number;
  readonly at: string | null;
  readonly words: RecordWords;
  /** Key of the attempt, when it is one. */
  readonly attempt: string | null;
}

/** The steps as lines, emissions of one stream and generation in a row as one. */
export function entriesOf(steps: readonly Step[]): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (step === undefined) continue;
    const run = step.record.type === 'emit' ? emitRunFrom(steps, index) : [];
    if (run.length > 1) {
      const end = steps[index + run.length - 1] ?? step;
      entries.push({ first: step.index, last: end.index, at: step.at, words: emitWords(run), attempt: null });
      index += run.length - 1;
    } else {
      const attempt = step.record.type === 'resume_attempt' ? (step.record.id ?? `step-${step.index}`) : null;
      entries.push({ first: step.index, last: step.index, at: step.at, words: recordWords(step.record), attempt });
    }
  }
  return entries;
}

function emitRunFrom(steps: readonly Step[], from: number): RecordOf<'emit'>[] {
  const run: RecordOf<'emit'>[] = [];
  const first = steps[from]?.record;
  for (let index = from; index < steps.length; index++) {
    const record = steps[index]?.record;
    if (record?.type !== 'emit' || first === undefined) break;
    if (streamOf(record) !== streamOf(first) || record.generation !== first.generation) break;
    if (index > from && (record.withheld_before ?? 0) > 0) break;
    run.push(record);
  }
  return run;
}

/** Place of the entry that holds step `index`, -1 when none does. */
export function entryAt(entries: readonly Entry[], index: number): number {
  return entries.findIndex((entry) => entry.first <= index && index <= entry.last);
}
