import { countPositions, type PositionRange } from '@/lib/base/ranges';
import type { Buffer } from '@/lib/whatif/change';

interface Segment {
  /** Place, in its stream's history, of the record that emitted it. */
  readonly by: number;
  readonly first: bigint;
  readonly last: bigint;
  /** How many events were issued before its first. */
  readonly place: bigint;
  /** Epoch milliseconds, never below that of an earlier segment; and how many segments up to here carry none. */
  readonly at: number;
  readonly undated: number;
  /** Size of one event, rounded up; null when not reported. */
  readonly eventBytes: bigint | null;
  /** Bytes of all events before its first, and how many segments of unknown size those were. */
  readonly bytesBefore: bigint;
  readonly unsizedBefore: number;
}

/** A moment of a log: how much of it had been issued, and when. */
export interface LogMoment {
  readonly segments: number;
  /** Place of the newest event issued by then. */
  readonly head: bigint;
  readonly at: number | null;
}

/**
 * The events of one numbering in order of emission. A place counts events, so that numbers which other streams
 * of a shared id space used up are no events here.
 */
export class EmissionLog {
  readonly #segments: Segment[] = [];

  /** How many segments had been emitted by place `by` of the stream's history. */
  segmentsBy(by: number): number {
    return this.#lastSegment(this.#segments.length, (segment) => segment.by <= by) + 1;
  }

  /** Appends runs that record `by` emitted; `bytes` is the size of them all. Runs that do not rise are left out. */
  append(runs: readonly PositionRange[], by: number, at: number | null, bytes: number | null): void {
    const count = countPositions(runs);
    const eventBytes = bytes === null || count === 0n ? null : (BigInt(bytes) + count - 1n) / count;
    for (const run of runs) {
      const before = this.#segments.at(-1);
      if (before === undefined || run.first > before.last) this.#segments.push(segmentAfter(before ?? NOTHING, run, by, at, eventBytes));
    }
  }

  /** How many events lie below `position` among the first `segments`. Outside what was seen each number is one event. */
  countBelow(position: bigint, segments: number): bigint {
    const found = this.#lastSegment(segments, (segment) => segment.first < position);
    const segment = this.#segments[found];
    if (segment === undefined) return position - (this.#segments[0]?.first ?? position);
    const inside = position - segment.first;
    const isNewest = found === segments - 1;
    return segment.place + (isNewest || inside < lengthOf(segment) ? inside : lengthOf(segment));
  }

  /** Whether an event with this position was issued. */
  holds(position: bigint): boolean {
    const segment = this.#segments[this.#lastSegment(this.#segments.length, ({ first }) => first <= position)];
    return segment !== undefined && position <= segment.last;
  }

  /** Whether the event with this position was issued, by a record at place `by` of the stream's history or after it. */
  isIssuedSince(position: bigint, by: number): boolean {
    const segment = this.#segments[this.#lastSegment(this.#segments.length, ({ first }) => first <= position)];
    return segment !== undefined && position <= segment.last && segment.by >= by;
  }

  /** The first event that was issued by a record at place `by` or after it; null where none was. */
  firstSince(by: number): bigint | null {
    return this.#segments[this.#lastSegment(this.#segments.length, (segment) => segment.by < by) + 1]?.first ?? null;
  }

  /** Place of the oldest event that a buffer would hold at `moment`; null when sizes or instants are missing for it. */
  floorUnder(buffer: Buffer, moment: LogMoment): bigint | null {
    const newest = this.#segments[moment.segments - 1];
    const isWholeTold = newest !== undefined && newest.place + lengthOf(newest) === moment.head + 1n;
    if (!isWholeTold && (buffer.bytes !== undefined || buffer.ttl_ms !== undefined)) return null;
    const floors = [
      buffer.events === undefined ? 0n : moment.head - BigInt(buffer.events) + 1n,
      buffer.bytes === undefined ? 0n : this.#floorByBytes(BigInt(buffer.bytes), moment),
      buffer.ttl_ms === undefined ? 0n : this.#floorByAge(buffer.ttl_ms, moment),
    ];
    let highest = 0n;
    for (const floor of floors) {
      if (floor === null) return null;
      if (floor > highest) highest = floor;
    }
    return highest;
  }

  #floorByBytes(limit: bigint, { segments, head }: LogMoment): bigint | null {
    const newest = this.#segments[segments - 1];
    if (newest === undefined) return head + 1n;
    const total = newest.bytesBefore + lengthOf(newest) * (newest.eventBytes ?? 0n);
    const unsized = newest.unsizedBefore + (newest.eventBytes === null ? 1 : 0);
    const index = this.#lastSegment(segments, (segment) => total - segment.bytesBefore > limit);
    const segment = this.#segments[index];
    if (segment === undefined) return unsized > 0 ? null : 0n;
    if (unsized > segment.unsizedBefore) return null;
    const over = total - segment.bytesBefore - limit;
    const { eventBytes } = segment;
    return eventBytes === null || eventBytes === 0n ? null : segment.place + (over + eventBytes - 1n) / eventBytes;
  }

  #floorByAge(ttlMs: number, { segments, head, at }: LogMoment): bigint | null {
    const newest = this.#segments[segments - 1];
    if (at === null) return null;
    if (newest === undefined) return head + 1n;
    const index = this.#lastSegment(segments, (segment) => segment.at < at - ttlMs);
    const expired = this.#segments[index];
    if (newest.undated > (expired?.undated ?? 0)) return null;
    if (expired === undefined) return 0n;
    return expired === newest ? head + 1n : expired.place + lengthOf(expired);
  }

  /** Index of the last of the first `segments` for which `holds`, which must hold for a prefix; −1 when for none. */
  #lastSegment(segments: number, holds: (segment: Segment) => boolean): number {
    let low = 0;
    let high = segments;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const segment = this.#segments[middle];
      if (segment !== undefined && holds(segment)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** What stands before the first segment: an empty run at place 0. */
const NOTHING: Segment = { by: -1, first: 0n, last: -1n, place: 0n, at: 0, undated: 0, eventBytes: 0n, bytesBefore: 0n, unsizedBefore: 0 };

function segmentAfter(before: Segment, { first, last }: PositionRange, by: number, at: number | null, eventBytes: bigint | null): Segment {
  return {
    by,
    first,
    last,
    eventBytes,
    at: Math.max(at ?? 0, before.at),
    undated: before.undated + (at === null ? 1 : 0),
    place: before.place + lengthOf(before),
    bytesBefore: before.bytesBefore + lengthOf(before) * (before.eventBytes ?? 0n),
    unsizedBefore: before.unsizedBefore + (before.eventBytes === null ? 1 : 0),
  };
}

const lengthOf = ({ first, last }: PositionRange): bigint => last - first + 1n;
