import {
  type AuditSource,
  type Changes,
  type Checkpoint,
  type Standing,
  StateLostError,
  type StoredChanges,
  type StoredRow,
  TakenOverError,
  type Waiting,
} from '@/lib/auditor/audit-source';
import { ServerAudit, type ServerAuditLimits } from '@/lib/auditor/server-audit';

export interface AuditorParts {
  readonly source: AuditSource;
  readonly limits: ServerAuditLimits;
  /** Records between two writes; also what is held in memory at a time. */
  readonly pageRecords: number;
  /** Shortest time between two checkpoints of one server. */
  readonly checkpointMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onStored: (stored: StoredChanges, records: number) => void;
  /** A server whose audit failed, begun again from its checkpoint; or with nothing known, on a `StateLostError`. */
  readonly onTrouble: (server: number, cause: unknown) => void;
}

/** Where an auditor stands as a whole. */
export interface AuditorProgress {
  readonly servers: number;
  /** Age of the oldest record that waits to be audited here, in milliseconds; 0 when none does. */
  readonly lagMs: number;
}

/** A checkpoint may take this share of the time at most. */
const CHECKPOINT_SHARE = 0.1;
/** Transactions of the intake that are read at a time, and that a checkpoint may be behind. */
const BATCHES_MAX = 500;

interface Held {
  readonly server: number;
  readonly standing: Standing;
  readonly audit: ServerAudit;
  /** Whether findings have to be left standing that an audit made whose state is lost. */
  leavesStanding: boolean;
  /** The highest number that was read, and the numbers read since the checkpoint. */
  readTo: number;
  readonly done: number[];
  /** Whether a lower number than the ones read may have appeared since. */
  mayBeLate: boolean;
  isDirty: boolean;
  checkpointDueMs: number;
}

/**
 * Follows the stored records of every server in the order of their places. What it proves is stored as it goes; its
 * state is saved from time to time, together with what it is done with, so that a crash costs a repetition of the last
 * seconds and nothing else. One process audits a server at a time.
 */
export class Auditor {
  readonly #parts: AuditorParts;
  readonly #held = new Map<number, Held>();
  #lagMs = 0;

  constructor(parts: AuditorParts) {
    this.#parts = parts;
  }

  get progress(): AuditorProgress {
    return { servers: this.#held.size, lagMs: this.#lagMs };
  }

  /** Goes once through every server; answers whether more waits. */
  async round(): Promise<boolean> {
    const { source } = this.#parts;
    if (this.#held.size > 0 && !(await source.isHolding())) this.#held.clear();
    const settled = await source.settledBatch();
    await this.#takeWaiting();
    let hasMore = false;
    let lagMs = 0;
    for (const held of [...this.#held.values()]) {
      try {
        const oldest = await this.#advance(held, settled);
        if (oldest === null) continue;
        hasMore = true;
        lagMs = Math.max(lagMs, this.#parts.now() - oldest.storedAtMs);
      } catch (cause) {
        // What was proved in memory and not stored is gone: the checkpoint is where it can be proved again.
        await this.#drop(held);
        if (!(cause instanceof TakenOverError)) this.#parts.onTrouble(held.server, cause);
      }
    }
    this.#lagMs = lagMs;
    return hasMore;
  }

  /** Saves where every server stands and gives them all back. */
  async close(): Promise<void> {
    for (const held of [...this.#held.values()]) {
      try {
        if (held.isDirty) await this.#checkpoint(held, NOTHING);
      } catch (cause) {
        if (!(cause instanceof TakenOverError)) this.#parts.onTrouble(held.server, cause);
      }
      await this.#drop(held);
    }
  }

  async #takeWaiting(): Promise<void> {
    for (const server of await this.#parts.source.serversWaiting()) {
      if (this.#held.has(server)) continue;
      const standing = await this.#parts.source.take(server);
      if (standing === null) continue;
      const { audit, lost } = openAudit(standing, this.#parts.limits);
      if (lost !== null) this.#parts.onTrouble(server, lost);
      this.#held.set(server, {
        server,
        standing,
        audit,
        leavesStanding: lost !== null,
        readTo: 0,
        done: [],
        mayBeLate: false,
        isDirty: false,
        checkpointDueMs: this.#parts.now() + this.#parts.checkpointMs,
      });
    }
  }

  /** Audits the next stretch of a server; answers with the oldest that still waits. */
  async #advance(held: Held, settled: number): Promise<Waiting | null> {
    if (held.leavesStanding) await this.#parts.source.leaveStanding(held.server, held.standing);
    held.leavesStanding = false;
    const waiting = await this.#nextBatches(held, settled);
    const batches = stretchOf(waiting, this.#parts.pageRecords);
    if (batches.length === 0) await this.#settle(held, this.#parts.now());
    else {
      await this.#read(held, batches);
      held.readTo = Math.max(held.readTo, batches.at(-1)?.batch ?? 0);
      for (const { batch } of batches) held.done.push(batch);
    }
    if (held.isDirty && (held.done.length >= BATCHES_MAX || this.#parts.now() >= held.checkpointDueMs))
      await this.#checkpoint(held, NOTHING);
    if (batches.length === 0 && held.audit.isEmpty && !held.isDirty) await this.#drop(held);
    return waiting[batches.length] ?? null;
  }

  /** What waits above the numbers read; after a checkpoint removed those, also what appeared among them. */
  async #nextBatches(held: Held, settled: number): Promise<Waiting[]> {
    if (held.mayBeLate) {
      held.mayBeLate = false;
      const late = await this.#parts.source.waiting(held.server, 0, Math.min(held.readTo, settled), BATCHES_MAX);
      if (late.length > 0) return late;
    }
    return this.#parts.source.waiting(held.server, held.readTo, settled, BATCHES_MAX);
  }

  async #read(held: Held, batches: readonly Waiting[]): Promise<void> {
    const { source, pageRecords } = this.#parts;
    let from = 0;
    for (;;) {
      const rows = await source.rows(held.server, batches, from, pageRecords);
      const newest = rows.at(-1);
      if (newest === undefined) return;
      await this.#audit(held, rows);
      from = newest.place + 1;
      if (rows.length < pageRecords) return;
    }
  }

  async #audit(held: Held, rows: readonly StoredRow[]): Promise<void> {
    held.isDirty = true;
    for (const row of rows) held.audit.push(row);
    const proved = held.audit.drain();
    const judged = new Map(rows.map(({ place, judged: now }) => [place, now]));
    const changes = { ...proved, resumes: proved.resumes.filter((resume) => !isAgreed(resume, judged.get(resume.index))) };
    await this.#store(held, changes, rows.length);
    const newest = rows.at(-1);
    if (newest !== undefined) await this.#settle(held, newest.receivedAtMs);
  }

  async #settle(held: Held, nowMs: number): Promise<void> {
    const changes = held.audit.settle(nowMs);
    if (changes.findings.length + changes.withdrawn.length + changes.resumes.length === 0) return;
    held.isDirty = true;
    await this.#store(held, changes, 0);
  }

  async #store(held: Held, changes: Changes, records: number): Promise<void> {
    const isNothing = changes.findings.length + changes.withdrawn.length + changes.resumes.length === 0;
    const stored = isNothing ? NOTHING_NEW : await this.#parts.source.store(held.server, held.standing, changes, null);
    this.#parts.onStored(stored, records);
  }

  async #checkpoint(held: Held, changes: Changes): Promise<void> {
    const since = performance.now();
    const checkpoint: Checkpoint = { state: held.audit.snapshot(), batches: [...held.done] };
    await this.#parts.source.store(held.server, held.standing, changes, checkpoint);
    held.done.length = 0;
    held.mayBeLate = true;
    held.isDirty = false;
    const tookMs = performance.now() - since;
    held.checkpointDueMs = this.#parts.now() + Math.max(this.#parts.checkpointMs, tookMs / CHECKPOINT_SHARE);
  }

  async #drop(held: Held): Promise<void> {
    this.#held.delete(held.server);
    await this.#parts.source.release(held.server).catch(() => undefined);
  }
}

const NOTHING: Changes = { findings: [], withdrawn: [], resumes: [] };
const NOTHING_NEW: StoredChanges = { newFindings: [], rejudged: 0 };

function openAudit(standing: Standing, limits: ServerAuditLimits): { readonly audit: ServerAudit; readonly lost: StateLostError | null } {
  const { server, state, provisional } = standing;
  try {
    return { audit: new ServerAudit(server, state, provisional, limits), lost: null };
  } catch (cause) {
    const lost = new StateLostError('the state of the audit cannot be read: it is of another version, or damaged', { cause });
    return { audit: new ServerAudit(server, null, [], limits), lost };
  }
}

/** The first batches that make a page, at least one. */
function stretchOf(waiting: readonly Waiting[], pageRecords: number): Waiting[] {
  const stretch: Waiting[] = [];
  let records = 0;
  for (const batch of waiting) {
    if (stretch.length > 0 && records + batch.records > pageRecords) break;
    stretch.push(batch);
    records += batch.records;
  }
  return stretch;
}

/** Whether the stored judgement is what the audit says already; one of an earlier stretch has to be looked up. */
function isAgreed(resume: Changes['resumes'][number], judged: StoredRow['judged'] | undefined): boolean {
  if (resume.assessment === 'unverifiable') return true;
  if (judged === undefined || judged === null) return false;
  return judged.assessment === resume.assessment && judged.reason === (resume.decision?.reason ?? null);
}
