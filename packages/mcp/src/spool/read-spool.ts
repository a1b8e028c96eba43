import type { Batch } from '../telemetry/batch.js';
import { readEntry, type SpoolEntry, type SpoolOwner, type SpoolRange } from './spool-entry.js';

/** What a spool file of an earlier start still owes. */
export interface SpoolContent {
  readonly owner: SpoolOwner | null;
  /** Under the numbers that they had; what was in no batch yet follows in batches of the same epoch. */
  readonly batches: readonly Batch[];
  /** Lines that were not as they were written: the torn end of a file, or damage. */
  readonly corrupt: number;
}

interface Numbered {
  readonly sequence: number;
  readonly dropped: number;
  readonly range: SpoolRange;
}

/** Reads a spool file. Damage costs the lines that are damaged and no others. */
export function readSpool(text: string, maxBatchRecords: number): SpoolContent {
  const records = new Map<number, string>();
  const numbered = new Map<number, Numbered>();
  let owner: SpoolOwner | null = null;
  let corrupt = 0;
  const take = (entry: SpoolEntry) => {
    if (entry.kind === 'owner') owner = entry.owner;
    else if (entry.kind === 'record') records.set(entry.index, entry.line);
    else if (entry.kind === 'batch') numbered.set(entry.sequence, entry);
    else for (let index = entry.range.first; index <= entry.range.last; index++) records.delete(index);
  };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = readEntry(line);
    if (entry === null) corrupt += 1;
    else take(entry);
  }
  return { owner, batches: owner === null ? [] : batchesOf(owner, records, numbered, maxBatchRecords), corrupt };
}

function batchesOf(
  { producer, epoch }: SpoolOwner,
  records: Map<number, string>,
  numbered: ReadonlyMap<number, Numbered>,
  maxBatchRecords: number,
): Batch[] {
  const batches: Batch[] = [];
  let [sequence, dropped] = [0, 0];
  for (const batch of [...numbered.values()].sort((a, b) => a.sequence - b.sequence)) {
    sequence = batch.sequence;
    dropped = Math.max(dropped, batch.dropped);
    const lines = takeRange(records, batch.range);
    if (lines.length > 0) batches.push({ origin: { producer, epoch, sequence, dropped: batch.dropped }, lines });
  }
  const rest = [...records].sort(([a], [b]) => a - b).map(([, line]) => line);
  for (let at = 0; at < rest.length; at += maxBatchRecords) {
    sequence += 1;
    batches.push({ origin: { producer, epoch, sequence, dropped }, lines: rest.slice(at, at + maxBatchRecords) });
  }
  return batches;
}

function takeRange(records: Map<number, string>, { first, last }: SpoolRange): string[] {
  const lines: string[] = [];
  for (let index = first; index <= last; index++) {
    const line = records.get(index);
    if (line !== undefined) lines.push(line);
    records.delete(index);
  }
  return lines;
}
