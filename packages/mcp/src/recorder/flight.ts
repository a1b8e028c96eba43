import type { SessionLedger } from '../ledger/session-ledger.js';
import { CHOICES, NOTE_KINDS, Note, type NoteKind } from '../notes/note.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { ByteRing } from './byte-ring.js';
import { putText, roomOf } from './put-text.js';

const NOTES_AT_FIRST = 16;
/** What is kept of a note beside its texts, as numbers in a row; of the texts, their lengths in bytes. */
const [AT, KIND, NUMBER, OPTION, STATUS, CODE, STREAM, NAME, VERSION, TEXT, CLOSED_AT, CLOSED_BY] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const ROW = 12;
/** Length of a text that a note does not have. */
const NONE = -1;

/** A record that was made of a note, and the time of the note. */
export interface Told {
  readonly record: TelemetryRecord;
  readonly at: number;
}

/**
 * What one session keeps at hand, oldest first: a ring of notes in memory that is used again and again. Every
 * request leaves several notes and hardly any is ever told, so they must leave nothing to be collected.
 */
export class Flight {
  #rows = new Float64Array(0);
  /** What is looked at when the oldest gives way, by its own: rows are long, and an old one has left the caches. */
  #starts = new Uint32Array(0);
  #records = new Uint8Array(0);
  #ledgers: (SessionLedger | null)[] = [];
  readonly #texts = new ByteRing();
  #first = 0;
  #count = 0;
  /** Records that the notes tell. */
  #kept = 0;
  /** Records that were given up since the last one that was told. */
  withheld = 0;
  wholeUntil = 0;
  /** Bytes of memory that it holds. */
  bytes = 0;

  constructor(
    readonly isSampled: boolean,
    /** Most records that are kept. */
    private readonly capacity: number,
    /** Most bytes that their texts take, unless one note alone needs more. */
    private readonly textBytes: number,
    /** When it was last moved to the end of the line, in uses of all sessions. */
    public usedAt: number,
  ) {}

  /** Keeps what a note says; the oldest gives way where there is no room. */
  add(note: Note): void {
    if (note.kind === NOTE_KINDS.close && this.#closeNewest(note)) return;
    const records = recordsOf(note);
    this.#makeRoom(records, 0);
    if (this.#count === this.#starts.length) this.#growRows();
    const { stream, name, version } = note;
    const text = note.record === null ? note.text : JSON.stringify(note.record);
    const start = this.#room(roomOf(stream) + roomOf(name) + roomOf(version) + roomOf(text) + 1);
    const index = this.#index(this.#count);
    const row = index * ROW;
    this.#count += 1;
    this.#kept += records;
    this.#ledgers[index] = note.ledger;
    this.#starts[index] = start;
    this.#records[index] = records;
    const rows = this.#rows;
    rows[row + AT] = note.at;
    rows[row + KIND] = note.kind;
    rows[row + NUMBER] = note.number;
    rows[row + OPTION] = note.option;
    rows[row + STATUS] = note.status ?? Number.NaN;
    rows[row + CODE] = note.code ?? Number.NaN;
    rows[row + CLOSED_AT] = 0;
    let end = this.#put(row + STREAM, stream, start);
    end = this.#put(row + NAME, name, end);
    end = this.#put(row + VERSION, version, end);
    end = this.#put(row + TEXT, text, end);
    // One byte more, since a run must not be empty.
    this.#texts.take(start, end + 1);
  }

  /** A connection mostly closes right after what was delivered last, and is kept with that. */
  #closeNewest(note: Note): boolean {
    if (this.#count === 0) return false;
    const index = this.#index(this.#count - 1);
    const row = index * ROW;
    const rows = this.#rows;
    if (rows[row + KIND] !== NOTE_KINDS.deliver || rows[row + NUMBER] !== note.number || rows[row + CLOSED_AT] !== 0) return false;
    rows[row + CLOSED_AT] = note.at;
    rows[row + CLOSED_BY] = note.option;
    this.#records[index] = (this.#records[index] ?? 0) + 1;
    this.#kept += 1;
    this.#makeRoom(0, 1);
    return true;
  }

  #makeRoom(records: number, atLeast: number): void {
    while (this.#kept + records > this.capacity && this.#count > atLeast) this.#forgetOldest();
  }

  /** Takes every note out, oldest first, and answers its records. */
  takeAll(read: (note: Note) => readonly TelemetryRecord[]): readonly Told[] {
    const told: Told[] = [];
    const note = new Note();
    /** Bodies of requests, by the number of their exchange, for what else tells of them. */
    const bodies = new Map<number, Note['text']>();
    for (let n = 0; n < this.#count; n++) {
      this.#get(this.#index(n), note);
      if (note.kind === NOTE_KINDS.request) bodies.set(note.number, note.text);
      else note.body = bodies.get(note.number) ?? null;
      for (const record of read(note)) told.push({ record, at: note.at });
    }
    this.#clear();
    return told;
  }

  /** Gives up what is kept. */
  withhold(): void {
    this.withheld += this.#kept;
    this.#clear();
  }

  /** Gives up what is kept, and its memory with it. */
  drop(): void {
    this.withhold();
    this.#rows = new Float64Array(0);
    this.#starts = new Uint32Array(0);
    this.#records = new Uint8Array(0);
    this.#ledgers = [];
    this.#texts.drop();
    this.bytes = 0;
  }

  #clear(): void {
    this.#first = 0;
    this.#count = 0;
    this.#kept = 0;
    this.#ledgers.fill(null);
    this.#texts.clear();
  }

  /** Place of the n-th note from the oldest. */
  #index(n: number): number {
    const index = this.#first + n;
    const size = this.#starts.length;
    return index < size ? index : index - size;
  }

  #put(column: number, text: string | Uint8Array | null, at: number): number {
    const end = text === null ? at : putText(this.#texts.buffer, text, at);
    this.#rows[column] = text === null ? NONE : end - at;
    return end;
  }

  #get(index: number, note: Note): void {
    const number = (column: number) => this.#rows[index * ROW + column] ?? 0;
    let at = this.#starts[index] ?? 0;
    const bytes = (column: number): Buffer | null => {
      const length = number(column);
      if (length === NONE) return null;
      at += length;
      return this.#texts.buffer.subarray(at - length, at);
    };
    note.begin(number(KIND) as NoteKind, this.#ledgers[index] ?? null);
    note.at = number(AT);
    note.number = number(NUMBER);
    note.option = number(OPTION);
    note.status = numberOrNull(number(STATUS));
    note.code = numberOrNull(number(CODE));
    note.stream = bytes(STREAM)?.toString() ?? null;
    note.name = bytes(NAME)?.toString() ?? null;
    note.version = bytes(VERSION)?.toString() ?? null;
    note.text = bytes(TEXT);
    note.closedAt = number(CLOSED_AT);
    note.closedBy = number(CLOSED_BY);
  }

  /** A place for texts. It grows as long as it may, and then the oldest notes give way. */
  #room(size: number): number {
    const texts = this.#texts;
    for (let place = texts.place(size); ; place = texts.place(size)) {
      if (place >= 0) return place;
      if (this.#count > 0 && texts.capacity * 2 > this.textBytes) this.#forgetOldest();
      else this.#growTexts(size);
    }
  }

  #growTexts(size: number): void {
    const moved = this.#texts.grow(size);
    this.#measure();
    for (let n = 0; n < this.#count; n++) {
      const index = this.#index(n);
      this.#starts[index] = moved(this.#starts[index] ?? 0);
    }
  }

  #growRows(): void {
    const first = this.#first;
    const size = Math.min(this.capacity, Math.max(NOTES_AT_FIRST, this.#starts.length * 2));
    this.#rows = unrolled(this.#rows, first * ROW, new Float64Array(size * ROW));
    this.#starts = unrolled(this.#starts, first, new Uint32Array(size));
    this.#records = unrolled(this.#records, first, new Uint8Array(size));
    this.#ledgers = [...this.#ledgers.slice(first), ...this.#ledgers.slice(0, first)];
    this.#first = 0;
    this.#measure();
  }

  #measure(): void {
    this.bytes = this.#rows.byteLength + this.#starts.byteLength + this.#records.byteLength + this.#texts.capacity;
  }

  #forgetOldest(): void {
    const records = this.#records[this.#first] ?? 0;
    this.#first = this.#index(1);
    this.#count -= 1;
    this.#kept -= records;
    this.withheld += records;
    if (this.#count === 0) this.#texts.clear();
    else this.#texts.release(this.#starts[this.#first] ?? 0);
  }
}

/** Records that a note tells when it is added. */
function recordsOf({ kind, option }: Note): number {
  return kind === NOTE_KINDS.deliver && option === CHOICES.opens ? 2 : 1;
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Copies a ring of numbers into a larger one, so that its oldest comes first. */
function unrolled<N extends Numbers>(ring: N, first: number, into: N): N {
  into.set(ring.subarray(first));
  into.set(ring.subarray(0, first), ring.length - first);
  return into;
}
