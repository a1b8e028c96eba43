import { mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Places, QueueKeeper } from '../telemetry/record-queue.js';
import { type Inheritance, InheritedFiles, NOTHING_INHERITED, SPOOL_SUFFIX } from './inherited-files.js';
import { type SpoolEntry, type SpoolRange, writeEntry } from './spool-entry.js';
import { SpoolFile } from './spool-file.js';
import { lockSpool, type SpoolLock } from './spool-lock.js';

/** A file with nothing left to send is emptied from this size on. */
const EMPTIED_FROM_BYTES = 64 * 1024;
/** A disk that could not be written is tried again after this time. */
const TRIED_AGAIN_AFTER_MS = 60_000;

export interface SpoolOptions {
  /** Directory of its own, made if it is missing. */
  readonly directory: string;
  /** Bytes that the file may have; records beyond are held in memory only. @defaultValue 64 MiB */
  readonly maxBytes?: number;
  /**
   * `never` leaves writing out to the system: what is spooled survives the end of the process, however it ends, but
   * not that of the machine. `always` asks for it after every write, without waiting. @defaultValue `never`
   */
  readonly fsync?: 'never' | 'always';
}

export interface SpoolParts extends SpoolOptions {
  readonly producer: string;
  readonly epoch: string;
  readonly began: number;
  readonly maxBatchRecords: number;
  readonly onProblem: (message: string) => void;
}

/**
 * Keeps what is queued in a file, so that the next start can send what this one could not. Records are written at
 * the end of the turn in which they were queued. Trouble with the disk leaves records in memory only, for a while.
 */
export class Spool implements QueueKeeper {
  readonly #parts: SpoolParts;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #inherited: InheritedFiles;
  #file: SpoolFile | null = null;
  #lock: SpoolLock | null | undefined = null;
  /** Lines that are not written yet: records, and what became of records. */
  #records = '';
  #marks = '';
  #isHeadDue = false;
  #isScheduled = false;
  #bytes = 0;
  /** Records of this file that are neither done nor dropped. */
  #owed = 0;
  #next = 0;
  /** Places from here on are not written yet. */
  #written = 0;
  /** Of the places that are not written yet, those that need not be kept any more. */
  readonly #doneUnwritten = new Set<number>();
  /** Places of records that could not be written. */
  readonly #lost = new Set<number>();
  /** Records that have no place. */
  #inMemory = 0;
  #sequence = 0;
  #dropped = 0;
  #isFullTold = false;
  /** While the disk cannot be written: when to try again, in epoch milliseconds. */
  #triedAgainAt: number | null = null;

  constructor(parts: SpoolParts) {
    this.#parts = parts;
    this.#maxBytes = parts.maxBytes ?? 64 * 1024 * 1024;
    this.#path = join(parts.directory, `${parts.epoch}${SPOOL_SUFFIX}`);
    this.#inherited = new InheritedFiles({ ...parts, maxBytes: 2 * this.#maxBytes });
  }

  /** Opens the spool and takes over the files of starts that are over, which are held and sent even where it has no file of its own. */
  open(): Inheritance {
    let inheritance = NOTHING_INHERITED;
    try {
      mkdirSync(this.#parts.directory, { recursive: true, mode: 0o700 });
      inheritance = this.#inherited.takeOver();
      this.#lock = lockSpool(this.#parts.epoch);
      this.#file = new SpoolFile(this.#path, this.#head());
      this.#bytes = this.#file.size;
    } catch (cause) {
      this.#parts.onProblem(`the spool is off: ${messageOf(cause)}`);
    }
    return inheritance;
  }

  /** Spools a record and answers its place; null where it is held in memory only. */
  add(line: string): number | null {
    if (this.#file === null) return null;
    if (this.#isFailing() || this.#isFull(line)) {
      this.#inMemory += 1;
      this.#headIsDue();
      return null;
    }
    const index = this.#next++;
    this.#owed += 1;
    this.#records += this.#counted({ kind: 'record', index, line });
    return index;
  }

  /** A batch of this start was given its number; said again when it is split. */
  batched({ sequence, dropped }: { readonly sequence: number; readonly dropped: number }, places: Places): void {
    if (this.#file === null) return;
    this.#sequence = Math.max(this.#sequence, sequence);
    const range = rangeOf(places);
    if (range === null) this.#headIsDue();
    else this.#marks += this.#counted({ kind: 'batch', sequence, dropped, range });
  }

  /** These records need not be kept any more. */
  done(places: Places): void {
    if (this.#file === null) return;
    const owed = this.#letGo(places);
    const range = rangeOf(places);
    if (range === null) return;
    this.#owed -= owed;
    if (this.#owed === 0 && (this.#bytes > EMPTIED_FROM_BYTES || this.#triedAgainAt !== null)) this.#empty();
    else this.#marks += this.#counted({ kind: 'done', range });
  }

  /** Records that this start has given up, in all. */
  dropped(total: number): void {
    this.#dropped = total;
    if (this.#file !== null) this.#headIsDue();
  }

  /** Leaves these records to the next start. Answers how many of them the file has; the others are kept no longer. */
  left(places: Places): number {
    this.#flush();
    return this.#file === null ? 0 : this.#letGo(places);
  }

  /** Whether the file of that earlier start still has what it owed. */
  holdsInherited(epoch: string): boolean {
    return this.#inherited.has(epoch);
  }

  /** So many records of a batch from that file are settled. */
  inheritedDone(epoch: string, records: number): void {
    this.#inherited.done(epoch, records);
  }

  /**
   * Writes what is left to write. A file that owes nothing goes; any other waits for the next start.
   *
   * @param owesDrops whether records were given up that the intake does not know of
   */
  close(owesDrops: boolean): void {
    this.#flush();
    const file = this.#file;
    this.#file = null;
    if (file !== null) {
      this.#quietly(() => file.close());
      if (this.#owed === 0 && !owesDrops) this.#quietly(() => rmSync(this.#path, { force: true }));
    }
    this.#lock?.release();
    this.#inherited.close();
  }

  /** Twice, so that damage to one costs nothing. What is in memory only is lost if this start ends now. */
  #head(): string {
    const { producer, epoch, began } = this.#parts;
    const dropped = this.#dropped + this.#inMemory + this.#lost.size;
    const owner = { producer, epoch, began, host: hostname(), pid: process.pid };
    return writeEntry({ kind: 'owner', owner, numbers: { sequence: this.#sequence, dropped } }).repeat(2);
  }

  /** Forgets those that are in memory only, and answers how many the file has. */
  #letGo(places: Places): number {
    let held = 0;
    let inMemory = 0;
    for (const place of places) {
      if (place === null) inMemory += 1;
      else if (!this.#lost.delete(place)) {
        held += 1;
        if (place >= this.#written) this.#doneUnwritten.add(place);
      }
    }
    if (held < places.length) this.#headIsDue();
    this.#inMemory -= inMemory;
    return held;
  }

  #isFull(line: string): boolean {
    if (this.#bytes + line.length <= this.#maxBytes) return false;
    if (!this.#isFullTold) this.#parts.onProblem(`the spool has reached ${this.#maxBytes} bytes; records beyond are held in memory only`);
    this.#isFullTold = true;
    return true;
  }

  #isFailing(): boolean {
    return this.#triedAgainAt !== null && Date.now() < this.#triedAgainAt;
  }

  /** The text of a line that is to be written. */
  #counted(entry: SpoolEntry): string {
    const text = writeEntry(entry);
    this.#bytes += Buffer.byteLength(text);
    this.#schedule();
    return text;
  }

  #headIsDue(): void {
    this.#isHeadDue = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const file = this.#file;
    if (file === null || (this.#records === '' && this.#marks === '' && !this.#isHeadDue)) return;
    try {
      if (this.#isHeadDue) file.putHead(this.#head());
      this.#isHeadDue = false;
      if (this.#records !== '' || this.#marks !== '') {
        file.append(this.#records + this.#marks);
        this.#triedAgainAt = null;
      }
      if (this.#parts.fsync === 'always') file.sync();
      this.#marks = '';
    } catch (cause) {
      this.#failed(cause);
    }
    this.#allWritten();
  }

  /** No record waits to be written any more. */
  #allWritten(): void {
    this.#records = '';
    this.#written = this.#next;
    this.#doneUnwritten.clear();
  }

  /** The records are in memory only from now on; what became of others is written when the disk can be. */
  #failed(cause: unknown): void {
    for (let place = this.#written; place < this.#next; place++) {
      if (this.#doneUnwritten.has(place)) continue;
      this.#lost.add(place);
      this.#owed -= 1;
    }
    this.#isHeadDue = true;
    this.#bytes = (this.#file?.size ?? 0) + Buffer.byteLength(this.#marks);
    if (this.#triedAgainAt === null || Date.now() >= this.#triedAgainAt) {
      this.#parts.onProblem(`the spool cannot be written, records are held in memory only for a minute: ${messageOf(cause)}`);
      this.#triedAgainAt = Date.now() + TRIED_AGAIN_AFTER_MS;
    }
  }

  /** The numbers go on: they are written before the batches that bear them go. */
  #empty(): void {
    this.#allWritten();
    this.#marks = '';
    this.#quietly(() => {
      this.#file?.putHead(this.#head());
      this.#isHeadDue = false;
      this.#file?.empty();
      this.#triedAgainAt = null;
    });
    this.#bytes = this.#file?.size ?? 0;
    this.#isFullTold = false;
  }

  #quietly(act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#parts.onProblem(`the spool failed: ${messageOf(cause)}`);
    }
  }
}

/** What is kept of successive records is kept in successive places. */
function rangeOf(places: Places): SpoolRange | null {
  const first = places.find((place) => place !== null);
  const last = places.findLast((place) => place !== null);
  return first === undefined || first === null || last === undefined || last === null ? null : { first, last };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
