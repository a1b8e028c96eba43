import type { TelemetryRecord } from '../telemetry/record.js';

export interface FlightOptions {
  /** True keeps nothing back. */
  readonly isEverything: boolean;
  /** Whether a session is of the share that is recorded whole; the same answer for a session, always. */
  readonly isSampled: (token: string) => boolean;
  /** Records kept back per session. */
  readonly recordsPerSession: number;
  /** Bytes, roughly, that all sessions keep back together. */
  readonly bytes: number;
  readonly sessions: number;
  /** Milliseconds that a session is recorded whole after something went wrong in it. */
  readonly wholeMs: number;
}

/** Passes a record on. `withheld`: records of its session that were kept back for good right before it. */
export type Pass = (record: TelemetryRecord, at: number, withheld: number) => void;

/**
 * Records that can be made when they are wanted. One object for each, since thousands are kept and few are wanted.
 */
export interface Note {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Roughly what is held on to until then. */
  readonly bytes: number;
  build(): readonly TelemetryRecord[];
}

interface Flight {
  readonly isSampled: boolean;
  /** Oldest first from `start`. */
  notes: Note[];
  start: number;
  bytes: number;
  withheld: number;
  wholeUntil: number;
}

/**
 * Keeps the recent history of every session at hand and passes it on only where something went wrong: then the
 * session is told whole from as far back as is kept, and stays so for a while. A record that is kept back is not
 * even made. What was kept back for good is counted on the next record of its session: a history told in part,
 * which is not a loss.
 */
export class FlightRecorder {
  readonly #options: FlightOptions;
  readonly #pass: Pass;
  /** In the order of their last use that was looked up by `session`, so that the first is idle for longest. */
  readonly #flights = new Map<string, Flight>();
  #bytes = 0;

  constructor(options: FlightOptions, pass: Pass) {
    this.#options = options;
    this.#pass = pass;
  }

  /**
   * Notes records of a session, kept back until their session is told whole.
   *
   * @param isTrouble whether this is what went wrong
   */
  note(token: string, note: Note, isTrouble: boolean): void {
    const { at, bytes } = note;
    // Requests under tokens that never were a session must not push the history of others out.
    if (this.#options.isEverything || (isTrouble && !this.#flights.has(token))) {
      this.#passAll(note.build(), at, null);
      return;
    }
    const flight = this.#flightOf(token);
    if (isTrouble) this.#tell(flight, at);
    if (flight.isSampled || at < flight.wholeUntil) {
      this.#passAll(note.build(), at, flight);
      return;
    }
    flight.notes.push(note);
    flight.bytes += bytes;
    this.#bytes += bytes;
    if (flight.notes.length - flight.start > this.#options.recordsPerSession) this.#forgetOldest(flight);
    if (this.#bytes > this.#options.bytes) this.#forgetIdle();
  }

  /** Passes a record on at once. Where nothing is wrong, what was kept back before it is so for good. */
  always(token: string | null, record: TelemetryRecord, isTrouble: boolean): void {
    const at = Date.now();
    if (this.#options.isEverything || token === null) {
      this.#pass(record, at, 0);
      return;
    }
    const flight = this.#flightOf(token);
    if (isTrouble) this.#tell(flight, at);
    else this.#withhold(flight);
    this.#passAll([record], at, flight);
  }

  #flightOf(token: string): Flight {
    const known = this.#flights.get(token);
    if (known !== undefined) return known;
    const isSampled = this.#options.isSampled(token);
    const flight: Flight = { isSampled, notes: [], start: 0, bytes: 0, withheld: 0, wholeUntil: 0 };
    this.#flights.set(token, flight);
    if (this.#flights.size > this.#options.sessions) this.#forgetSession();
    return flight;
  }

  /** Says that a session is in use, so that others are forgotten before it. */
  touch(token: string): void {
    const flight = this.#flights.get(token);
    if (flight === undefined) return;
    this.#flights.delete(token);
    this.#flights.set(token, flight);
  }

  #tell(flight: Flight, at: number): void {
    const { notes, start } = flight;
    this.#clear(flight);
    for (const note of start === 0 ? notes : notes.slice(start)) this.#passAll(note.build(), note.at, flight);
    flight.wholeUntil = at + this.#options.wholeMs;
  }

  #passAll(records: readonly TelemetryRecord[], at: number, flight: Flight | null): void {
    for (const record of records) {
      this.#pass(record, at, flight?.withheld ?? 0);
      if (flight !== null) flight.withheld = 0;
    }
  }

  #withhold(flight: Flight): void {
    flight.withheld += flight.notes.length - flight.start;
    this.#clear(flight);
  }

  #clear(flight: Flight): void {
    this.#bytes -= flight.bytes;
    flight.notes = [];
    flight.start = 0;
    flight.bytes = 0;
  }

  #forgetOldest(flight: Flight): void {
    const bytes = flight.notes[flight.start]?.bytes ?? 0;
    flight.start += 1;
    flight.withheld += 1;
    flight.bytes -= bytes;
    this.#bytes -= bytes;
    if (flight.start < this.#options.recordsPerSession) return;
    flight.notes = flight.notes.slice(flight.start);
    flight.start = 0;
  }

  /** Gives up what idle sessions keep back until the bound holds. */
  #forgetIdle(): void {
    for (const flight of this.#flights.values()) {
      if (this.#bytes <= this.#options.bytes) return;
      this.#withhold(flight);
    }
  }

  #forgetSession(): void {
    const oldest = this.#flights.entries().next().value;
    if (oldest === undefined) return;
    this.#clear(oldest[1]);
    this.#flights.delete(oldest[0]);
  }
}
