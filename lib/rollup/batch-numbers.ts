/** A numbered batch as it was stored. */
export interface BatchNote {
  /** Id of the project that its sender is of; null where it was noted by a version that did not tell. */
  readonly project: number | null;
  readonly producer: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Number of the first batch of its epoch, 0 or 1, where the producer says so. */
  readonly first: number | null;
  /** Records that the producer dropped since the epoch began, in all. */
  readonly dropped: number;
  /** When its epoch began, where the producer says so; epoch milliseconds. */
  readonly beganMs: number | null;
  /** Oldest and newest instant of its records; of a batch without records that of its receipt. Epoch milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly receivedMs: number;
  /** Numbers of the servers whose records it held. */
  readonly servers: readonly number[];
  /** Records of it that the intake rejected, one entry for each server that they are of. */
  readonly rejected: readonly Rejected[];
}

/** Records that the intake rejected. */
export interface Rejected {
  /** Number of the server; 0 where none can be read, or one that its sender may not report for. */
  readonly server: number;
  readonly records: number;
  /** Oldest and newest instant that they may be of. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What the intake rejected of a batch that is not numbered. */
export interface RejectedUnnumbered extends Rejected {
  readonly project: number;
  /** Of `records`, those that came with an id, by it: 32 hexadecimal digits each. They may come again. */
  readonly ids: readonly string[];
  readonly receivedMs: number;
}

/** What a record says of others that its sender dropped right before it. */
export interface Drop {
  readonly server: number;
  readonly node: number | null;
  /** Place of the record among all that was stored: there is one such count for each. */
  readonly place: number;
  readonly records: number;
  readonly atMs: number;
  readonly receivedMs: number;
}

/** How far one numbering has come. */
export interface Numbering {
  /** Lowest number that there is, as far as it is known: 0 or 1. */
  readonly first: number;
  /** Highest number received. */
  readonly head: number;
  /** Newest instant in the batch of that number. */
  readonly headMs: number;
  readonly dropped: number;
}

/**
 * Telemetry that is known to be missing. Either batches `first` to `last` never came, or (`last` is `first - 1`) the
 * producer dropped `records` before it sent batch `first`, or the intake rejected them of it.
 */
export interface Loss {
  readonly first: number;
  readonly last: number;
  /** Instants between which the missing records lie, as far as the batches around them tell. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly records: number;
  readonly revealedMs: number;
  /** Number of the server that it is about; 0: those that the producer reports on. */
  readonly server: number;
  readonly isRejected: boolean;
}

export interface NumberingState {
  readonly numbering: Numbering | null;
  readonly losses: readonly Loss[];
}

/** What is known of a producer from its other epochs. */
export interface Before {
  /** Newest instant of them, from which on a hole at the very begin is dated; null when there are none. Epoch milliseconds. */
  readonly ms: number | null;
  /** Whether the last of them began at 0. */
  readonly isFromZero: boolean;
}

/**
 * How long before the first batch that came those may lie that are missing at the very begin, where the producer does not say when its epoch
 * began and nothing else is known of it: none of its records would tell, and a moment would be too narrow.
 */
export const BEGIN_MS_MAX = 60 * 60_000;

/** Numbering begins here, unless the producer says or shows otherwise. */
const FIRST = 1;

/**
 * What is known after more batches of one numbering were stored, in any order and however often each was sent.
 * The missing numbers depend only on the set of numbers received: a late batch takes its number out of the hole,
 * and a batch sent again changes nothing. What was rejected of a batch is lost once, when its number first comes.
 *
 * @param state of `losses`, at least those that hold a number of `notes`
 * Numbering begins at 1. It begins at 0 where the producer says so, where a batch 0 comes, or where the producer's epoch before
 * did: then a batch 0 that does not come is missing.
 */
export function addBatches(state: NumberingState, notes: readonly BatchNote[], before: Before): NumberingState {
  return [...notes].sort((a, b) => a.sequence - b.sequence).reduce((known, note) => addBatch(known, note, before), state);
}

function addBatch({ numbering, losses }: NumberingState, note: BatchNote, before: Before): NumberingState {
  const { sequence } = note;
  const assumed = note.first ?? (before.isFromZero ? 0 : FIRST);
  const first = Math.min(numbering?.first ?? assumed, note.first ?? FIRST, sequence);
  if (numbering === null || sequence > numbering.head) {
    const dropped = Math.max(numbering?.dropped ?? 0, note.dropped);
    const missing = [...beginOf(note, numbering, before, first), ...lossesBefore(note, numbering, before, first)];
    return { numbering: { first, head: sequence, headMs: note.lastMs, dropped }, losses: [...losses, ...missing, ...rejectedOf(note)] };
  }
  const begin = beginOf(note, numbering, before, first);
  const rest = sequence < numbering.first ? losses : withoutNumber(losses, sequence);
  // Null: the number came before.
  const known = rest === null ? losses : [...rest, ...rejectedOf(note)];
  return { numbering: { ...numbering, first }, losses: [...known, ...begin] };
}

/** What lies before the begin that was known, where the note says that numbering began before it. */
function beginOf(note: BatchNote, numbering: Numbering | null, before: Before, first: number): Loss[] {
  if (numbering === null || first === numbering.first || note.sequence < numbering.first) return [];
  return [{ ...lossUpTo(note, beginMs(note, before)), first, last: numbering.first - 1 }];
}

function lossesBefore(note: BatchNote, numbering: Numbering | null, before: Before, first: number): Loss[] {
  const common = lossUpTo(note, numbering?.headMs ?? beginMs(note, before));
  const losses: Loss[] = [];
  const expected = numbering === null ? first : numbering.head + 1;
  if (note.sequence > expected) losses.push({ ...common, first: expected, last: note.sequence - 1 });
  const dropped = note.dropped - (numbering?.dropped ?? 0);
  if (dropped > 0) losses.push({ ...common, first: note.sequence, last: note.sequence - 1, records: dropped });
  return losses;
}

/** From when on something may be that is missing at the very begin of an epoch. */
function beginMs({ beganMs, firstMs }: BatchNote, before: Before): number {
  return beganMs === null ? (before.ms ?? firstMs - BEGIN_MS_MAX) : Math.min(beganMs, firstMs);
}

/** Something that is missing between an instant and the records of a batch. */
function lossUpTo({ firstMs, receivedMs }: BatchNote, edgeMs: number): Omit<Loss, 'first' | 'last'> {
  return {
    sinceMs: Math.min(edgeMs, firstMs),
    untilMs: Math.max(edgeMs, firstMs),
    records: 0,
    revealedMs: receivedMs,
    server: 0,
    isRejected: false,
  };
}

function rejectedOf({ sequence, receivedMs, rejected }: BatchNote): Loss[] {
  return rejected.map(({ server, records, firstMs, lastMs }) => ({
    first: sequence,
    last: sequence - 1,
    sinceMs: firstMs,
    untilMs: lastMs,
    records,
    revealedMs: receivedMs,
    server,
    isRejected: true,
  }));
}

/** Null when the number is in no hole: it came before. */
function withoutNumber(losses: readonly Loss[], number: number): readonly Loss[] | null {
  const hole = losses.find(({ first, last }) => first <= number && number <= last);
  if (hole === undefined) return null;
  const parts = [
    { ...hole, last: number - 1 },
    { ...hole, first: number + 1 },
  ];
  return [...losses.filter((loss) => loss !== hole), ...parts.filter(({ first, last }) => first <= last)];
}
