import type { Transactions, Tx } from '@/db/transactions';
import type { Acted, ActionProblem } from '@/lib/incidents/act';
import { mergeIncidents, reopenIncident, resolveIncident, splitIncident } from '@/lib/incidents/act';
import { advanceIncidents } from '@/lib/incidents/advance';
import type { IncidentBook } from '@/lib/incidents/incident';
import { type LoadedBook, loadBook, lockIncidents, saveBook, tryLockIncidents } from '@/lib/store/incident-book';
import { noteIncidentEvent } from '@/lib/store/incident-log';
import { moveEvidence, pinEvidence } from '@/lib/store/incident-pins';
import { takeEvidence } from '@/lib/store/pending-evidence';
import { judgeRates } from '@/lib/store/rate-steps';

/** Why an action has no place here. */
export class IncidentProblem extends Error {
  override readonly name = 'IncidentProblem';
  constructor(
    readonly code: ActionProblem['code'] | 'incident_imported' | 'incident_succeeded',
    message: string,
  ) {
    super(message);
  }
}

export interface Actor {
  readonly name: string;
  readonly now: number;
}

/** The incidents of an installation: the machine's state under one lock, whatever process works on it. */
export class IncidentDesk {
  readonly #transactions: Transactions;
  readonly #unnamedOf: (server: string) => string;

  /** @param unnamedOf the session that a server's records without any are of */
  constructor(transactions: Transactions, unnamedOf: (server: string) => string) {
    this.#transactions = transactions;
    this.#unnamedOf = unnamedOf;
  }

  /**
   * Takes what was left as evidence since the last look and advances the incidents, in one transaction. False when
   * all was taken, or another process is at it; true when there is more.
   */
  advance(now: number): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      if (!(await tryLockIncidents(tx))) return false;
      const loaded = await loadBook(tx, now);
      const taken = await takeEvidence(tx);
      const rates = await judgeRates(tx, loaded.ratesUntil, now);
      const evidence = [...taken.evidence, ...rates.evidence];
      const [book, effects] = advanceIncidents(loaded.book, evidence, now);
      if (evidence.length > 0 || effects.length > 0 || rates.until !== loaded.ratesUntil)
        await saveBook(tx, loaded, { book, effects, ratesUntil: rates.until, actor: null });
      return !(taken.isAll && rates.isAll);
    });
  }

  /** Pins records of the sessions that incidents name, a bounded number; true when there may be more. */
  pin(): Promise<boolean> {
    return this.#transactions.run(async (tx) => ((await tryLockIncidents(tx)) ? pinEvidence(tx, this.#unnamedOf) : false));
  }

  /** @throws IncidentProblem */
  resolve(id: string, actor: Actor): Promise<void> {
    return this.#act(id, actor, (book, key) => resolveIncident(book, key, actor.now));
  }

  /** @throws IncidentProblem */
  reopen(id: string, actor: Actor): Promise<void> {
    return this.#act(id, actor, (book, key) => reopenIncident(book, key, actor.now));
  }

  /** The other incident takes over everything. @throws IncidentProblem */
  merge(id: string, into: string, actor: Actor): Promise<void> {
    return this.#transactions.run(async (tx) => {
      const loaded = await this.#load(tx, actor.now, id);
      const target = keyOfRow(loaded, into);
      await act(tx, loaded, actor, mergeIncidents(loaded.book, keyOfRow(loaded, id), target, actor.now));
      await moveEvidence(tx, id, into, null);
      await noteIncidentEvent(tx, into, { at: actor.now, type: 'merged', actor: actor.name, detail: { from: id } });
    });
  }

  /** Some of its sessions become an incident of their own, whose id is answered. @throws IncidentProblem */
  split(id: string, sessions: readonly string[], actor: Actor): Promise<string> {
    return this.#transactions.run(async (tx) => {
      const loaded = await this.#load(tx, actor.now, id);
      const acted = splitIncident(loaded.book, keyOfRow(loaded, id), sessions, actor.now);
      const ids = await act(tx, loaded, actor, acted);
      const part = acted.ok ? ids.get(acted.value[1][0]?.incident.key ?? '') : undefined;
      if (part === undefined) throw new Error('a split opened nothing');
      await moveEvidence(tx, id, part, sessions);
      await noteIncidentEvent(tx, id, { at: actor.now, type: 'split', actor: actor.name, detail: { into: part, sessions } });
      return part;
    });
  }

  #act(id: string, actor: Actor, work: (book: IncidentBook, key: string) => Acted): Promise<void> {
    return this.#transactions.run(async (tx) => {
      const loaded = await this.#load(tx, actor.now, id);
      await act(tx, loaded, actor, work(loaded.book, keyOfRow(loaded, id)));
    });
  }

  async #load(tx: Tx, now: number, id: string): Promise<LoadedBook> {
    await lockIncidents(tx);
    const { rows } = await tx.query<{ key: string | null; is_current: boolean }>('select key, is_current from incident where id = $1', [
      id,
    ]);
    const [row] = rows;
    if (row === undefined) throw new IncidentProblem('incident_not_found', 'there is no such incident');
    if (row.key === null) throw new IncidentProblem('incident_imported', 'an imported incident is a history of its own');
    if (!row.is_current) throw new IncidentProblem('incident_succeeded', 'the same cause has opened a newer incident');
    return loadBook(tx, now, id);
  }
}

function keyOfRow({ ids }: LoadedBook, id: string): string {
  for (const [key, row] of ids) if (row === id) return key;
  throw new IncidentProblem('incident_not_found', 'there is no such incident that still takes evidence');
}

async function act(tx: Tx, loaded: LoadedBook, actor: Actor, acted: Acted): Promise<ReadonlyMap<string, string>> {
  if (!acted.ok) throw new IncidentProblem(acted.error.code, acted.error.message);
  const [book, effects] = acted.value;
  return saveBook(tx, loaded, { book, effects, ratesUntil: loaded.ratesUntil, actor: actor.name });
}
