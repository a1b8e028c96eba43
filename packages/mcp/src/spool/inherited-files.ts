import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type OwedBatch, readSpool, type SpoolContent } from './read-spool.js';
import { readEntry } from './spool-entry.js';
import { lockSpool, type SpoolLock } from './spool-lock.js';

export const SPOOL_SUFFIX = '.spool';

export interface InheritOptions {
  readonly directory: string;
  /** What is taken over at a time, in bytes of files; one file is, whatever its size. */
  readonly maxBytes: number;
  readonly maxBatchRecords: number;
  readonly onProblem: (message: string) => void;
}

/** A batch of an earlier start, and the epoch whose file it is in. */
export interface InheritedBatch extends OwedBatch {
  readonly epoch: string;
}

/** What earlier starts left behind. */
export interface Inheritance extends SpoolContent {
  readonly batches: readonly InheritedBatch[];
}

export const NOTHING_INHERITED: Inheritance = { batches: [], corrupt: 0, corruptUntold: 0 };

interface InheritedFile {
  readonly path: string;
  readonly lock: SpoolLock | undefined;
  owed: number;
}

/** Spool files of starts that are over. Each is held while it is read and sent, and goes when nothing of it is owed. */
export class InheritedFiles {
  readonly #options: InheritOptions;
  readonly #files = new Map<string, InheritedFile>();
  #bytes = 0;

  constructor(options: InheritOptions) {
    this.#options = options;
  }

  /** @throws when the directory cannot be read; trouble with one file costs that file alone, and is told */
  takeOver(): Inheritance {
    let all = NOTHING_INHERITED;
    for (const name of readdirSync(this.#options.directory).sort()) {
      if (!name.endsWith(SPOOL_SUFFIX)) continue;
      const one = this.#guarded(() => this.#take(name.slice(0, -SPOOL_SUFFIX.length), all.batches.length === 0));
      if (one !== null) all = together(all, one);
    }
    return all;
  }

  /** Whether the file of that epoch still has what it owed. */
  has(epoch: string): boolean {
    return this.#files.has(epoch);
  }

  /** So many records of that epoch's file are settled; with the last one the file goes. */
  done(epoch: string, records: number): void {
    const file = this.#files.get(epoch);
    if (file === undefined) return;
    file.owed -= Math.max(1, records);
    if (file.owed > 0) return;
    this.#files.delete(epoch);
    this.#remove(file);
  }

  /** Leaves what is still owed to the next start. */
  close(): void {
    for (const { lock } of this.#files.values()) lock?.release();
    this.#files.clear();
  }

  #take(epoch: string, isFirst: boolean): Inheritance | null {
    const path = join(this.#options.directory, `${epoch}${SPOOL_SUFFIX}`);
    const lock = lockSpool(epoch);
    if (lock === null) return null;
    let isTaken = false;
    try {
      // What is left of a whole fleet is taken over in several starts, not all at once into memory.
      this.#bytes += statSync(path).size;
      if (this.#bytes > this.#options.maxBytes && !isFirst) return null;
      const text = readFileSync(path, 'utf8');
      if (lock === undefined && isAlive(text)) return null;
      const content = readSpool(text, this.#options.maxBatchRecords);
      // A batch without records owes that it is told.
      const owed = content.batches.reduce((sum, { lines }) => sum + Math.max(1, lines.length), 0);
      const file = { path, lock, owed };
      isTaken = true;
      if (owed === 0) this.#remove(file);
      else this.#files.set(epoch, file);
      return { ...content, batches: content.batches.map((batch) => ({ ...batch, epoch })) };
    } finally {
      if (!isTaken) lock?.release();
    }
  }

  #remove({ path, lock }: InheritedFile): void {
    this.#guarded(() => rmSync(path, { force: true }));
    lock?.release();
  }

  #guarded<T>(act: () => T): T | null {
    try {
      return act();
    } catch (cause) {
      this.#options.onProblem(`a spool of an earlier start cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`);
      return null;
    }
  }
}

function together(a: Inheritance, b: Inheritance): Inheritance {
  return {
    batches: [...a.batches, ...b.batches],
    corrupt: a.corrupt + b.corrupt,
    corruptUntold: a.corruptUntold + b.corruptUntold,
  };
}

/** Where nothing can be held: whether the writer of a file still runs, as far as this machine can tell. */
function isAlive(text: string): boolean {
  const entry = readEntry(text.slice(0, Math.max(0, text.indexOf('\n'))));
  if (entry?.kind !== 'owner' || entry.owner.host !== hostname()) return false;
  try {
    process.kill(entry.owner.pid, 0);
    return true;
  } catch (cause) {
    // EPERM says that it runs and is somebody else's.
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}
