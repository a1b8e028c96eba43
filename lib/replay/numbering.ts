import { parsePosition } from '@/lib/base/position';
import type { PositionRange } from '@/lib/base/ranges';
import { type IdShape, readIdShape } from '@/lib/wire/id-shape';
import type { RecordOf } from '@/lib/wire/schema';

type EmitRecord = RecordOf<'emit'>;

interface Placement {
  /** Place, in its stream's history, of the record that emitted the event. */
  readonly at: number;
  readonly position: bigint;
}

interface Emission {
  readonly at: number;
  readonly record: EmitRecord;
  /** Position of its first event when order of emission is all that is known. */
  readonly placed: bigint;
}

/**
 * One numbering of one stream: how its event ids become positions. Numbers read from the ids are trusted while
 * all ids have one shape and every number is above those before it; from the first contradiction on, for the
 * whole numbering, positions are ordinals of emission (from 0), which an explicit `position` overrides.
 */
export class Numbering {
  /** Label of the generation; null when the server names none. */
  generation: string | null;
  readonly #emissions: Emission[] = [];
  #areIdsNumbers = true;
  #shape: { readonly at: number; readonly label: string } | null = null;
  #lastNumber: bigint | null = null;
  #nextPlaced = 0n;
  /** Where ids were issued, filled once ids are no numbers; runs stay intervals. */
  readonly #placements = new Map<string, Placement[]>();
  readonly #runs: Emission[] = [];

  constructor(
    generation: string | null,
    /** Place in the stream's history where this numbering began. */
    readonly startedAt: number,
  ) {
    this.generation = generation;
  }

  /** Whether anything had been emitted by place `at` of the stream's history. */
  hasEmissionsBy(at: number): boolean {
    const first = this.#emissions[0];
    return first !== undefined && first.at <= at;
  }

  get areIdsNumbers(): boolean {
    return this.#areIdsNumbers;
  }

  /** Whether this emission's numbers begin again at or below numbers that were issued: a new numbering after a restart. */
  isStartedOverBy(record: EmitRecord): boolean {
    if (!this.#areIdsNumbers || this.#lastNumber === null) return false;
    const first = record.range?.[0] ?? record.event_ids?.[0] ?? record.event_id;
    const shape = first === undefined ? null : readIdShape(String(first));
    return shape !== null && shape.label === this.#shape?.label && shape.number <= this.#lastNumber;
  }

  /** Takes note of an emission. True when it contradicted the ids' numbers, so that every earlier position of this numbering changes. */
  append(record: EmitRecord, at: number): boolean {
    const explicit = parsePosition(record.position);
    const emission = { at, record, placed: explicit ?? this.#nextPlaced };
    this.#emissions.push(emission);
    this.#nextPlaced = emission.placed + countOf(record);
    if (!this.#areIdsNumbers) {
      this.#place(emission);
      return false;
    }
    if (this.#followsNumbers(record, explicit, at)) return false;
    return this.distrustIds();
  }

  /** Gives up on reading numbers from ids. True when they had been trusted. */
  distrustIds(): boolean {
    if (!this.#areIdsNumbers) return false;
    this.#areIdsNumbers = false;
    for (const emission of this.#emissions) this.#place(emission);
    return true;
  }

  /** Positions of the events of one emission, in order; a run stays one range. */
  rangesOf(record: EmitRecord, at: number): PositionRange[] {
    if (!this.#areIdsNumbers) {
      const placed = this.#placedAt(at);
      return [{ first: placed, last: placed + countOf(record) - 1n }];
    }
    if (record.range !== undefined) return [toRange(record.range)];
    return idsOf(record).flatMap((id) => {
      const number = readIdShape(id)?.number;
      return number === undefined ? [] : [{ first: number, last: number }];
    });
  }

  /** Position of an event id as known at place `at`; null when it was not issued by then, or more than once. */
  positionOf(id: string, at: number): bigint | null {
    if (this.#areIdsNumbers) {
      const shape = readIdShape(id);
      return shape !== null && this.#isOwnShape(shape, at) ? shape.number : null;
    }
    const issued = (this.#placements.get(id) ?? []).filter((placement) => placement.at <= at);
    const inRuns = issued.length > 1 ? [] : this.#placementsInRuns(id, at);
    const [only, ...others] = [...issued, ...inRuns];
    return only === undefined || others.length > 0 ? null : only.position;
  }

  /**
   * The lowest position at or above `position` that was issued by place `at` of the stream's history: numbers may
   * leave some out, ordinals never do. What is emitted later says nothing about `at`.
   */
  nextIssued(position: bigint, at: number): bigint {
    if (!this.#areIdsNumbers) return position;
    let low = 0;
    let high = this.#countBy(at);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lastNumberOf(middle) ?? position) < position) low = middle + 1;
      else high = middle;
    }
    const emission = this.#emissions[low];
    if (emission === undefined || emission.at > at) return position;
    const range = this.rangesOf(emission.record, emission.at).find(({ last }) => last >= position);
    return range === undefined || range.first < position ? position : range.first;
  }

  /** Number of emissions by place `at`. */
  #countBy(at: number): number {
    let low = 0;
    let high = this.#emissions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#emissions[middle]?.at ?? at) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #lastNumberOf(index: number): bigint | undefined {
    const record = this.#emissions[index]?.record;
    if (record === undefined) return undefined;
    return record.range === undefined ? readIdShape(idsOf(record).at(-1) ?? '')?.number : toRange(record.range).last;
  }

  #followsNumbers(record: EmitRecord, explicit: bigint | null, at: number): boolean {
    if (record.range !== undefined) {
      const { first, last } = toRange(record.range);
      return (explicit === null || explicit === first) && this.#advance({ label: '\0', number: first }, at) && this.#raise(last);
    }
    const ids = idsOf(record);
    return ids.every((id) => {
      const shape = readIdShape(id);
      return shape !== null && (explicit === null || ids.length > 1 || explicit === shape.number) && this.#advance(shape, at);
    });
  }

  #advance(shape: IdShape, at: number): boolean {
    this.#shape ??= { at, label: shape.label };
    if (shape.label !== this.#shape.label) return false;
    if (this.#lastNumber !== null && shape.number <= this.#lastNumber) return false;
    return this.#raise(shape.number);
  }

  #raise(number: bigint): boolean {
    this.#lastNumber = number;
    return true;
  }

  #isOwnShape(shape: IdShape, at: number): boolean {
    return this.#shape === null || this.#shape.at > at || this.#shape.label === shape.label;
  }

  #place(emission: Emission): void {
    if (emission.record.range !== undefined) {
      this.#runs.push(emission);
      return;
    }
    for (const [offset, id] of idsOf(emission.record).entries()) {
      const placement = { at: emission.at, position: emission.placed + BigInt(offset) };
      const known = this.#placements.get(id);
      if (known === undefined) this.#placements.set(id, [placement]);
      else known.push(placement);
    }
  }

  #placedAt(at: number): bigint {
    let low = 0;
    let high = this.#emissions.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#emissions[middle]?.at ?? at) < at) low = middle + 1;
      else high = middle;
    }
    return this.#emissions[low]?.placed ?? 0n;
  }

  #placementsInRuns(id: string, at: number): Placement[] {
    const number = parsePosition(id);
    if (number === null) return [];
    return this.#runs.flatMap(({ at: emittedAt, record, placed }) => {
      if (record.range === undefined || emittedAt > at) return [];
      const { first, last } = toRange(record.range);
      return number < first || number > last ? [] : [{ at: emittedAt, position: placed + number - first }];
    });
  }
}

/** The ids of a record that names them one by one; a `range` has none here. */
export function idsOf(record: { event_id?: unknown; event_ids?: readonly unknown[] | undefined }): string[] {
  if (record.event_ids !== undefined) return record.event_ids.map(String);
  return record.event_id === undefined ? [] : [String(record.event_id)];
}

export function toRange(range: readonly [unknown, unknown]): PositionRange {
  return { first: parsePosition(range[0]) ?? 0n, last: parsePosition(range[1]) ?? 0n };
}

function countOf(record: EmitRecord): bigint {
  if (record.range === undefined) return BigInt(idsOf(record).length);
  const { first, last } = toRange(record.range);
  return last - first + 1n;
}
