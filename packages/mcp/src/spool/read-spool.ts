import { BATCH_BYTES_MAX, type BatchOrigin } from '../telemetry/batch.js';
import { readEntry, type SpoolEntry, type SpoolNumbers, type SpoolOwner, type SpoolRange } from './spool-entry.js';

/** A batch that a spool file owes. */
export interface OwedBatch {
  /** Null where the file does not say whose it is: it is sent under numbers of the present start. */
  readonly origin: BatchOrigin | null;
  readonly lines: readonly string[];
}

/** What a spool file of an earlier start still owes. */
export interface SpoolContent {
  /**
   * Under the numbers that they had; what was in no batch yet follows in batches of the same epoch. Each counts the
   * corrupt lines as dropped, since each may have been a record; what would be told by none of them is told by a last
   * one without records.
   */
  readonly batches: readonly OwedBatch[];
  /** Lines that were not as they were written: the torn end of a file, or damage. */
  readonly corrupt: number;
  /** Of these, how many the batches do not tell of, since the file does not say whose it is. */
  readonly corruptUntold: number;
}

interface Numbered extends SpoolNumbers {
  readonly range: SpoolRange;
}

/** What the lines of a file say, taken together. */
class SpoolState {
  owner: SpoolOwner | null = null;
  numbers: SpoolNumbers = { sequence: 0, dropped: 0 };
  readonly records = new Map<number, string>();
  readonly numbered = new Map<number, Numbered>();

  take(entry: SpoolEntry): void {
    if (entry.kind === 'record') this.records.set(entry.index, entry.line);
    else if (entry.kind === 'done') for (let at = entry.range.first; at <= entry.range.last; at++) this.records.delete(at);
    else if (entry.kind === 'owner') {
      this.owner = entry.owner;
      this.#reached(entry.numbers);
    } else {
      this.numbered.set(entry.sequence, entry);
      this.#reached(entry);
    }
  }

  #reached({ sequence, dropped }: SpoolNumbers): void {
    this.numbers = { sequence: Math.max(this.numbers.sequence, sequence), dropped: Math.max(this.numbers.dropped, dropped) };
  }
}

/** Reads a spool file. Damage costs the lines that are damaged and no others. */
export function readSpool(text: string, maxBatchRecords: number): SpoolContent {
  const state = new SpoolState();
  let corrupt = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = readEntry(line);
    if (entry === null) corrupt += 1;
    else state.take(entry);
  }
  return { batches: batchesOf(state, corrupt, maxBatchRecords), corrupt, corruptUntold: state.owner === null ? corrupt : 0 };
}

function batchesOf({ owner, numbers, numbered, records }: SpoolState, corrupt: number, maxBatchRecords: number): OwedBatch[] {
  const originOf = ({ sequence, dropped }: SpoolNumbers): BatchOrigin | null =>
    owner === null
      ? null
      : { producer: owner.producer, epoch: owner.epoch, began: owner.began ?? null, sequence, dropped: dropped + corrupt };
  const batches: OwedBatch[] = [];
  for (const batch of [...numbered.values()].sort((a, b) => a.sequence - b.sequence)) {
    const lines = takeRange(records, batch.range);
    if (lines.length > 0) batches.push({ origin: originOf(batch), lines });
  }
  let { sequence } = numbers;
  for (const lines of chunksOf(records, maxBatchRecords)) {
    sequence += 1;
    batches.push({ origin: originOf({ sequence, dropped: numbers.dropped }), lines });
  }
  const told = batches.reduce((most, { origin }) => Math.max(most, origin?.dropped ?? 0), 0);
  if (numbers.dropped + corrupt > told && owner !== null) {
    batches.push({ origin: originOf({ sequence: sequence + 1, dropped: numbers.dropped }), lines: [] });
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

/** In order, within both bounds of a batch; a record above the second is alone. */
function chunksOf(records: ReadonlyMap<number, string>, maxBatchRecords: number): string[][] {
  const chunks: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [, line] of [...records].sort(([a], [b]) => a - b)) {
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length >= maxBatchRecords || bytes + line.length > BATCH_BYTES_MAX) {
      chunks.push([line]);
      bytes = line.length;
    } else {
      chunk.push(line);
      bytes += line.length;
    }
  }
  return chunks;
}
