/** A numbered batch as it was stored. */
export interface BatchNote {
  /** Id of the project that its sender is of; null where it was noted by a version that did not tell. */
  readonly project: number | null;
  readonly producer: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Records that the producer dropped since the epoch began, in all. */
  readonly dropped: number;
  /** Oldest and newest instant of its records; of a batch without records that of its receipt. Epoch milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly receivedMs: number;
  /** Numbers of the servers whose records it held. */
  readonly servers: readonly number[];
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
  /** Highest number received. */
  readonly head: number;
  /** Newest instant in the batch of that number. */
  readonly headMs: number;
  readonly dropped: number;
}

/**
 * Telemetry that is known to be missing. Either batches `first` to `last` never came, or (`last` is `first - 1`) the
 * producer dropped `records` before it sent batch `first`.
 */
export interface Loss {
  readonly first: number;
  readonly last: number;
  /** Instants between which the missing records lie, as far as the batches around them tell. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly records: number;
  readonly revealedMs: number;
}

export interface NumberingState {
  readonly numbering: Numbering | null;
  readonly losses: readonly Loss[];
}

/** Numbering may begin at 0 or 1: a producer whose first batch here is a later one has sent others before. */
const FIRST_SURE = 1;

/**
 * What is known after more batches of one numbering were stored, in any order and however often each was sent.
 * The missing numbers depend only on the set of numbers received: a late batch takes its number out of the hole,
 * and a batch sent again changes nothing.
 *
 * @param state of `losses`, at least those that hold a number of `notes`
 * @param beforeMs newest instant of the same producer's earlier epochs, where a hole at the very begin is dated from
 */
export function addBatches(state: NumberingState, notes: readonly BatchNote[], beforeMs: number | null): NumberingState {
  let { numbering } = state;
  let losses = state.losses;
  for (const note of [...notes].sort((a, b) => a.sequence - b.sequence)) {
    if (numbering === null || note.sequence > numbering.head) {
      losses = [...losses, ...lossesBefore(note, numbering, beforeMs)];
      numbering = { head: note.sequence, headMs: note.lastMs, dropped: Math.max(numbering?.dropped ?? 0, note.dropped) };
    } else {
      losses = withoutNumber(losses, note.sequence);
    }
  }
  return { numbering, losses };
}

function lossesBefore(note: BatchNote, numbering: Numbering | null, beforeMs: number | null): Loss[] {
  const edgeMs = numbering?.headMs ?? beforeMs ?? note.firstMs;
  const common = {
    sinceMs: Math.min(edgeMs, note.firstMs),
    untilMs: Math.max(edgeMs, note.firstMs),
    revealedMs: note.receivedMs,
  };
  const losses: Loss[] = [];
  const expected = numbering === null ? FIRST_SURE : numbering.head + 1;
  if (note.sequence > expected) losses.push({ ...common, first: expected, last: note.sequence - 1, records: 0 });
  const dropped = note.dropped - (numbering?.dropped ?? 0);
  if (dropped > 0) losses.push({ ...common, first: note.sequence, last: note.sequence - 1, records: dropped });
  return losses;
}

function withoutNumber(losses: readonly Loss[], number: number): readonly Loss[] {
  const hole = losses.find(({ first, last }) => first <= number && number <= last);
  if (hole === undefined) return losses;
  const parts = [
    { ...hole, last: number - 1 },
    { ...hole, first: number + 1 },
  ];
  return [...losses.filter((loss) => loss !== hole), ...parts.filter(({ first, last }) => first <= last)];
}
