import { closeSync, fsync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Batch } from '../telemetry/batch.js';
import { readSpool } from './read-spool.js';
import { type SpoolEntry, type SpoolOwner, type SpoolRange, writeEntry } from './spool-entry.js';

const SUFFIX = '.spool';
/** A file with nothing left to send is emptied from this size on. */
const EMPTIED_FROM_BYTES = 64 * 1024;

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
  readonly maxBatchRecords: number;
  readonly onProblem: (message: string) => void;
}

/** Spools that are open in this process, by epoch. */
const openHere = new Set<string>();

/** What earlier starts left behind. */
export interface Inheritance {
  readonly batches: readonly Batch[];
  readonly corrupt: number;
}

/**
 * Keeps what is queued in a file, so that the next start can send what this one could not. Records are written at
 * the end of the turn in which they were queued. Trouble with the disk turns the spool off, never the server.
 */
export class Spool {
  readonly #parts: SpoolParts;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #owner: SpoolOwner;
  #file: number | null = null;
  #pending = '';
  #isScheduled = false;
  #bytes = 0;
  /** Records of this file that are neither done nor dropped. */
  #owed = 0;
  #next = 0;
  #isFullTold = false;
  /** Files of earlier starts and how many batches of them are still owed. */
  readonly #inherited = new Map<string, { path: string; batches: number }>();

  constructor(parts: SpoolParts) {
    this.#parts = parts;
    this.#maxBytes = parts.maxBytes ?? 64 * 1024 * 1024;
    this.#path = join(parts.directory, `${parts.epoch}${SUFFIX}`);
    this.#owner = { producer: parts.producer, epoch: parts.epoch, host: hostname(), pid: process.pid };
  }

  /** Opens the spool and takes over the files of processes that are gone. */
  open(): Inheritance {
    return (
      this.#guarded(() => {
        mkdirSync(this.#parts.directory, { recursive: true, mode: 0o700 });
        const inheritance = this.#inherit();
        this.#file = openSync(this.#path, 'a', 0o600);
        openHere.add(this.#parts.epoch);
        this.#write({ kind: 'owner', owner: this.#owner });
        return inheritance;
      }) ?? { batches: [], corrupt: 0 }
    );
  }

  /** Spools a record and answers its place; null where it is held in memory only. */
  add(line: string): number | null {
    if (this.#file === null || this.#isFull(line)) return null;
    const index = this.#next++;
    this.#owed += 1;
    this.#write({ kind: 'record', index, line });
    return index;
  }

  batched({ origin: { sequence, dropped } }: Batch, range: SpoolRange): void {
    this.#write({ kind: 'batch', sequence, dropped, range });
  }

  done(range: SpoolRange): void {
    if (this.#file === null) return;
    this.#owed -= range.last - range.first + 1;
    if (this.#owed === 0 && this.#bytes > EMPTIED_FROM_BYTES) this.#empty();
    else this.#write({ kind: 'done', range });
  }

  /** A batch of an earlier start is settled; with its last one the file goes. */
  inheritedDone({ origin: { epoch } }: Batch): void {
    const file = this.#inherited.get(epoch);
    if (file === undefined) return;
    file.batches -= 1;
    if (file.batches > 0) return;
    this.#inherited.delete(epoch);
    this.#guarded(() => rmSync(file.path, { force: true }));
  }

  /** Writes what is left to write. A file that owes nothing goes; any other waits for the next start. */
  close(): void {
    this.#flush();
    const file = this.#file;
    this.#file = null;
    openHere.delete(this.#parts.epoch);
    if (file === null) return;
    this.#guarded(() => {
      closeSync(file);
      if (this.#owed === 0) rmSync(this.#path, { force: true });
    });
  }

  #inherit(): Inheritance {
    const batches: Batch[] = [];
    let [corrupt, bytes] = [0, 0];
    for (const name of readdirSync(this.#parts.directory)
      .filter((file) => file.endsWith(SUFFIX))
      .sort()) {
      const path = join(this.#parts.directory, name);
      bytes += statSync(path).size;
      // What is left of a whole fleet is taken over in several starts, not all at once into memory.
      if (bytes > 2 * this.#maxBytes && batches.length > 0) break;
      const content = readSpool(readFileSync(path, 'utf8'), this.#parts.maxBatchRecords);
      if (content.owner !== null && isAlive(content.owner)) continue;
      corrupt += content.corrupt;
      batches.push(...content.batches);
      if (content.owner === null || content.batches.length === 0) rmSync(path, { force: true });
      else this.#inherited.set(content.owner.epoch, { path, batches: content.batches.length });
    }
    return { batches, corrupt };
  }

  #isFull(line: string): boolean {
    if (this.#bytes + line.length <= this.#maxBytes) return false;
    if (!this.#isFullTold) this.#parts.onProblem(`the spool has reached ${this.#maxBytes} bytes; records beyond are held in memory only`);
    this.#isFullTold = true;
    return true;
  }

  #write(entry: SpoolEntry): void {
    if (this.#file === null) return;
    const text = writeEntry(entry);
    this.#pending += text;
    this.#bytes += Buffer.byteLength(text);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const [file, text] = [this.#file, this.#pending];
    if (file === null || text === '') return;
    this.#pending = '';
    this.#guarded(() => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      if (this.#parts.fsync === 'always') fsync(file, () => undefined);
    });
  }

  #empty(): void {
    const file = this.#file;
    if (file === null) return;
    this.#pending = '';
    this.#bytes = 0;
    this.#isFullTold = false;
    this.#guarded(() => ftruncateSync(file, 0));
    this.#write({ kind: 'owner', owner: this.#owner });
  }

  #guarded<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (cause) {
      this.#file = null;
      this.#parts.onProblem(`the spool is off: ${cause instanceof Error ? cause.message : String(cause)}`);
      return undefined;
    }
  }
}

/** Whether the writer of a file still runs, as far as this machine can tell. */
function isAlive({ host, pid, epoch }: SpoolOwner): boolean {
  if (openHere.has(epoch)) return true;
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM says that it runs and is somebody else's.
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}
