import type { Note, ReadNote } from '../notes/note.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { Flight } from './flight.js';

/** The texts of one session take at most this part of what all sessions may keep back. */
const SHARE_OF_ONE = 8;

export interface FlightOptions {
  /** True keeps nothing back. */
  readonly isEverything: boolean;
  /** Whether a session is of the share that is recorded whole; the same answer for a session, always. */
  readonly isSampled: (token: string) => boolean;
  /** Whether a token is known to be that of a session. */
  readonly isSession: (token: string) => boolean;
  /** Records kept back per session. */
  readonly recordsPerSession: number;
  /** Bytes of memory that all sessions keep back records in. */
  readonly bytes: number;
  readonly sessions: number;
  /** Milliseconds that a session is recorded whole after something went wrong in it. */
  readonly wholeMs: number;
}

/** Passes a record on. `withheld`: records of its session that were kept back for good right before it. */
export type Pass = (record: TelemetryRecord, at: number, withheld: number) => void;

/**
 * Keeps the recent history of every session at hand and passes it on only where something went wrong: then the
 * session is told whole from as far back as is kept, and stays so for a while. A record that is kept back is not
 * even made. What was kept back for good is counted on the next record of its session: a history told in part,
 * which is not a loss.
 */
export class FlightRecorder {
  readonly #options: FlightOptions;
  readonly #read: ReadNote;
  readonly #pass: Pass;
  /** The first was not used for longest, as far as `touch` keeps that up to date. */
  readonly #flights = new Map<string, Flight>();
  /** Those of them that hold memory, in the same order. */
  readonly #holding = new Set<Flight>();
  /** Records that were kept back of sessions that were forgotten since, the last forgotten last. */
  readonly #withheldOfForgotten = new Map<string, number>();
  #bytes = 0;
  #uses = 0;

  constructor(options: FlightOptions, read: ReadNote, pass: Pass) {
    this.#options = options;
    this.#read = read;
    this.#pass = pass;
  }

  /**
   * Notes records of a session, kept back until their session is told whole.
   *
   * @param note copied where it is kept
   * @param isTrouble whether this is what went wrong
   */
  note(token: string, note: Note, isTrouble: boolean): void {
    if (note.at === 0) note.at = Date.now();
    const flight = this.#options.isEverything ? null : this.#flightOf(token, isTrouble);
    if (flight === null) {
      this.#passAll(this.#read(note, token), note.at, null);
      return;
    }
    if (isTrouble) this.#tell(flight, token, Date.now());
    if (flight.isSampled || note.at < flight.wholeUntil) {
      this.#passAll(this.#read(note, token), note.at, flight);
      return;
    }
    // The record that comes next is told still, since it has to say that those after it are not.
    if (flight.wholeUntil > 0) {
      flight.wholeUntil = 0;
      this.#passAll(keptBackAfter(this.#read(note, token)), note.at, flight);
      return;
    }
    const before = flight.bytes;
    flight.add(note);
    if (flight.bytes !== before) this.#hold(flight, before);
  }

  /** Passes on at once what a note of no session tells. */
  noteOfNone(note: Note): void {
    this.#passAll(this.#read(note, null), note.at === 0 ? Date.now() : note.at, null);
  }

  /** Passes a record on at once. Where nothing is wrong, what was kept back before it is so for good. */
  always(token: string | null, record: TelemetryRecord, isTrouble: boolean): void {
    const at = Date.now();
    const flight = this.#options.isEverything || token === null ? null : this.#flightOf(token, isTrouble);
    if (flight === null || token === null) {
      this.#pass(record, at, 0);
      return;
    }
    if (isTrouble) this.#tell(flight, token, at);
    else flight.withhold();
    const isWhole = flight.isSampled || at < flight.wholeUntil;
    if (!isWhole) flight.wholeUntil = 0;
    this.#passAll(isWhole ? [record] : keptBackAfter([record]), at, flight);
  }

  /** Says that a session is in use, so that others are forgotten before it. */
  touch(token: string): void {
    const flight = this.#flights.get(token);
    if (flight === undefined) return;
    this.#uses += 1;
    // To move one in the line costs more than all else here, and the line is long.
    if (this.#uses - flight.usedAt <= this.#options.sessions / 4) return;
    flight.usedAt = this.#uses;
    this.#flights.delete(token);
    this.#flights.set(token, flight);
    if (this.#holding.delete(flight)) this.#holding.add(flight);
  }

  /** Gives back the memory of a session that is over; what it kept back is so for good. */
  release(token: string): void {
    const flight = this.#flights.get(token);
    if (flight !== undefined) this.#drop(flight);
  }

  /** Null where trouble is of no session: requests under tokens that never were one must not push the history of others out. */
  #flightOf(token: string, isTrouble: boolean): Flight | null {
    const known = this.#flights.get(token);
    if (known !== undefined) return known;
    if (isTrouble && !this.#options.isSession(token)) return null;
    const flight = this.#newFlight(token);
    flight.withheld = this.#withheldOfForgotten.get(token) ?? 0;
    this.#withheldOfForgotten.delete(token);
    this.#flights.set(token, flight);
    if (this.#flights.size > this.#options.sessions) this.#forgetSession();
    return flight;
  }

  #newFlight(token: string): Flight {
    const { isSampled, recordsPerSession, bytes } = this.#options;
    return new Flight(isSampled(token), recordsPerSession, bytes / SHARE_OF_ONE, this.#uses);
  }

  #tell(flight: Flight, token: string, at: number): void {
    for (const told of flight.takeAll((note) => this.#read(note, token))) this.#passAll([told.record], told.at, flight);
    flight.wholeUntil = at + this.#options.wholeMs;
  }

  #passAll(records: readonly TelemetryRecord[], at: number, flight: Flight | null): void {
    for (const record of records) {
      this.#pass(record, at, flight?.withheld ?? 0);
      if (flight !== null) flight.withheld = 0;
    }
  }

  /** Counts memory that a flight has taken; where that is too much, idle sessions give up what they keep back. */
  #hold(flight: Flight, before: number): void {
    this.#bytes += flight.bytes - before;
    this.#holding.add(flight);
    for (const idle of this.#holding) {
      if (this.#bytes <= this.#options.bytes) return;
      this.#drop(idle);
    }
  }

  #drop(flight: Flight): void {
    this.#bytes -= flight.bytes;
    this.#holding.delete(flight);
    flight.drop();
  }

  #forgetSession(): void {
    const [token, flight] = this.#flights.entries().next().value ?? [];
    if (token === undefined || flight === undefined) return;
    this.#drop(flight);
    this.#flights.delete(token);
    if (flight.withheld > 0) this.#withheldOfForgotten.set(token, flight.withheld);
    const [oldest] = this.#withheldOfForgotten.keys();
    if (this.#withheldOfForgotten.size > this.#options.sessions && oldest !== undefined) this.#withheldOfForgotten.delete(oldest);
  }
}

/** Has the last of some records say that what follows them in their session is kept back. */
function keptBackAfter(records: readonly TelemetryRecord[]): TelemetryRecord[] {
  return records.map((record, n) => (n === records.length - 1 ? { ...record, withheld_after: true } : record));
}
