import { type Audit, createAudit, restoreAudit } from '@/lib/audit/audit';
import type { AuditedResume, Finding } from '@/lib/audit/finding';
import type { Changes, FindingToStore, StoredRow } from '@/lib/auditor/audit-source';
import { findingId } from '@/lib/auditor/finding-id';
import { SessionBook, type SessionEntry } from '@/lib/auditor/session-book';

/** Scope of findings that rest on the silence of a whole server. */
const SERVER_SCOPE = '*';

export interface ServerAuditLimits {
  /** A session that was silent for so long is settled: what its silence proves is told. */
  readonly settleMs: number;
  /** Sessions remembered of a server; beyond it the one silent for longest is settled and forgotten. */
  readonly sessionsMax: number;
}

/** The audit of one server's stored records: feeds them to the pure audit and knows which sessions are silent. */
export class ServerAudit {
  readonly #server: string;
  readonly #audit: Audit;
  readonly #book: SessionBook;
  /** Ids of provisional findings by scope. */
  readonly #provisional = new Map<string, Set<string>>();
  #isServerSettled = true;

  /** @throws Error when the state is of a version that is not known, or is damaged */
  constructor(
    server: string,
    state: string | null,
    provisional: readonly { readonly id: string; readonly scope: string }[],
    limits: ServerAuditLimits,
  ) {
    this.#server = server;
    if (state === null) {
      this.#audit = createAudit();
      this.#book = new SessionBook(limits, null);
    } else {
      const end = state.indexOf('\n');
      this.#book = new SessionBook(limits, state.slice(0, end));
      this.#audit = restoreAudit(state.slice(end + 1));
    }
    for (const { id, scope } of provisional) this.#idsOf(scope).add(id);
  }

  /** Nothing is remembered that could change any more. */
  get isEmpty(): boolean {
    return this.#book.size === 0;
  }

  push({ place, receivedAtMs, record, atMs }: StoredRow): void {
    this.#audit.push(record, place);
    this.#book.hear(record, receivedAtMs, record.at === undefined ? null : atMs);
    this.#isServerSettled = false;
  }

  /** What the records since the last call prove. */
  drain(): Changes {
    const findings = this.#audit.drainFindings().map((finding): FindingToStore => ({ id: findingId(finding), finding, scope: null }));
    return { findings, withdrawn: [], resumes: this.#audit.drainResumes() };
  }

  /**
   * What silence proves by now. `nowMs` is how far the audit has got: the clock when it has caught up, else the receipt
   * of its newest record.
   */
  settle(nowMs: number): Changes {
    const findings: FindingToStore[] = [];
    const withdrawn: string[] = [];
    const resumes: AuditedResume[] = [];
    const clock = this.#book.recordTimeAt(nowMs);
    const { due, forgotten } = this.#book.takeDue(nowMs);
    const settleSession = (entry: SessionEntry, isFinal: boolean): void => {
      const settled = this.#audit.settleSession(this.#server, entry.session, clock);
      this.#tell(entry.key, settled.findings, isFinal, findings, withdrawn);
      resumes.push(...settled.resumes);
    };
    for (const entry of due) settleSession(entry, false);
    for (const entry of forgotten) {
      settleSession(entry, true);
      this.#audit.forgetSession(this.#server, entry.session);
    }
    if (due.length > 0 || (!this.#isServerSettled && this.#book.isServerSilent(nowMs))) {
      this.#tell(SERVER_SCOPE, this.#audit.settleServer(this.#server, clock), false, findings, withdrawn);
      this.#isServerSettled = this.#book.isServerSilent(nowMs);
    }
    return { findings, withdrawn, resumes };
  }

  /** The whole state as text, to go on from later or elsewhere. */
  snapshot(): string {
    return `${this.#book.write()}\n${this.#audit.snapshot()}`;
  }

  #tell(scope: string, told: readonly Finding[], isFinal: boolean, findings: FindingToStore[], withdrawn: string[]): void {
    const before = this.#provisional.get(scope);
    const ids = new Set<string>();
    for (const finding of told) {
      const id = findingId(finding);
      ids.add(id);
      findings.push({ id, finding, scope: isFinal ? null : scope });
    }
    for (const id of before ?? []) if (!ids.has(id)) withdrawn.push(id);
    if (isFinal || ids.size === 0) this.#provisional.delete(scope);
    else this.#provisional.set(scope, ids);
  }

  #idsOf(scope: string): Set<string> {
    const known = this.#provisional.get(scope) ?? new Set<string>();
    this.#provisional.set(scope, known);
    return known;
  }
}
