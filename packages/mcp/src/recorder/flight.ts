import type { TelemetryRecord } from '../telemetry/record.js';

/** Who can make the records of what it noted. A note is a number that means something to its source only. */
export interface NoteSource {
  records(note: number): readonly TelemetryRecord[];
}

/**
 * What one session keeps at hand, oldest first: a ring of notes, without an object for each, since every request
 * leaves several and hardly any is ever told.
 */
export class Flight {
  #sources: (NoteSource | null)[] = [];
  #notes: number[] = [];
  #times: number[] = [];
  #sizes: number[] = [];
  #start = 0;
  #count = 0;
  /** Bytes, roughly, of all that is kept. */
  bytes = 0;
  /** Notes that were given up since the last record that was told. */
  withheld = 0;
  wholeUntil = 0;

  constructor(
    readonly isSampled: boolean,
    private readonly capacity: number,
    /** When it was last moved to the end of the line, in uses of all sessions. */
    public usedAt: number,
  ) {}

  /** Adds a note; the oldest gives way where the ring is full. */
  add(source: NoteSource, note: number, at: number, bytes: number): void {
    if (this.#count === this.capacity) this.#forgetOldest();
    const index = (this.#start + this.#count) % this.capacity;
    this.#sources[index] = source;
    this.#notes[index] = note;
    this.#times[index] = at;
    this.#sizes[index] = bytes;
    this.#count += 1;
    this.bytes += bytes;
  }

  /** Takes every note out, oldest first, and hands over its records with the time of the note. */
  takeAll(tell: (records: readonly TelemetryRecord[], at: number) => void): void {
    const [sources, notes, times, start, count] = [this.#sources, this.#notes, this.#times, this.#start, this.#count];
    this.#clear();
    for (let n = 0; n < count; n++) {
      const index = (start + n) % this.capacity;
      tell(sources[index]?.records(notes[index] ?? 0) ?? [], times[index] ?? 0);
    }
  }

  /** Gives up what is kept. */
  withhold(): void {
    this.withheld += this.#count;
    this.#clear();
  }

  #clear(): void {
    this.#sources = [];
    this.#notes = [];
    this.#times = [];
    this.#sizes = [];
    this.#start = 0;
    this.#count = 0;
    this.bytes = 0;
  }

  #forgetOldest(): void {
    this.bytes -= this.#sizes[this.#start] ?? 0;
    this.#sources[this.#start] = null;
    this.#start = (this.#start + 1) % this.capacity;
    this.#count -= 1;
    this.withheld += 1;
  }
}
