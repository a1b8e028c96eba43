import { randomUUID } from 'node:crypto';
import type { Tx } from '@/db/transactions';
import { type Incident, type IncidentBook, type IncidentEffect, REOPENED_WITHIN_MS } from '@/lib/incidents/incident';
import { decodeIncident, encodeIncident } from '@/lib/incidents/text';
import { incidentSentence, incidentTitle } from '@/lib/incidents/words';
import { noteIncidentEvent } from '@/lib/store/incident-log';

/** Any number that no other user of the database takes for its own advisory lock. */
const INCIDENT_LOCK = 7_310_204_813;
/** Beyond the time within which a cause that comes back opens its incident again. */
const LOADED_MS = REOPENED_WITHIN_MS + 86_400_000;

/** The incidents that may still change, and the rows that they are. */
export interface LoadedBook {
  readonly book: IncidentBook;
  /** Row of each incident, by key. */
  readonly ids: ReadonlyMap<string, string>;
  /** Steps of rates that end here or before were judged, epoch milliseconds; null before the first. */
  readonly ratesUntil: number | null;
}

/** Takes the incidents' lock until the transaction ends; false when another process holds it. */
export async function tryLockIncidents(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [INCIDENT_LOCK]);
  return rows[0]?.locked === true;
}

/** The same, waiting for it. */
export async function lockIncidents(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [INCIDENT_LOCK]);
}

/** Reads the book, with one incident of any age. Under the lock. */
export async function loadBook(tx: Tx, now: number, also: string | null = null): Promise<LoadedBook> {
  const { rows } = await tx.query<{ id: string; key: string; machine: string }>(
    `select id, key, machine from incident
     where is_current and (state <> 'resolved' or merged_into is not null or settled_at > $1 or id = $2)`,
    [new Date(now - LOADED_MS), also],
  );
  const facts = await tx.query<{ now: Date; split: string; rates_until: Date }>(
    'select now, split, rates_until from incident_book where id = 1',
  );
  const [row] = facts.rows;
  return {
    book: {
      now: row?.now.getTime() ?? 0,
      incidents: Object.fromEntries(rows.map(({ key, machine }) => [key, decodeIncident(machine)])),
      // Written by `saveBook` and by nothing else.
      split: row === undefined ? {} : (JSON.parse(row.split) as IncidentBook['split']),
    },
    ids: new Map(rows.map(({ id, key }) => [key, id])),
    ratesUntil: row?.rates_until.getTime() ?? null,
  };
}

export interface BookChange {
  readonly book: IncidentBook;
  readonly effects: readonly IncidentEffect[];
  readonly ratesUntil: number | null;
  /** Who did it; null is the machine. */
  readonly actor: string | null;
}

/** Writes what changed of a book that was loaded in the same transaction. Answers with the rows by key, new ones too. */
export async function saveBook(tx: Tx, loaded: LoadedBook, change: BookChange): Promise<ReadonlyMap<string, string>> {
  const ids = new Map(loaded.ids);
  const last = new Map<string, Incident>(Object.entries(loaded.book.incidents));
  for (const { type, at, incident } of change.effects) {
    const { key } = incident;
    if (type === 'opened') {
      await retire(tx, key, ids.get(key), last.get(key));
      ids.set(key, await insertIncident(tx, incident));
    }
    last.set(key, incident);
    const detail = { severity: incident.severity, sentence: incidentSentence(incident) };
    await noteIncidentEvent(tx, ids.get(key) ?? '', { at, type, actor: change.actor, detail });
  }
  for (const [key, incident] of Object.entries(change.book.incidents)) {
    if (incident === loaded.book.incidents[key]) continue;
    const id = ids.get(key);
    if (id === undefined) throw new Error('an incident changed that was never opened');
    await updateIncident(tx, id, incident, ids);
    if (incident.toll.sessions !== loaded.book.incidents[key]?.toll.sessions) await nameSessions(tx, id, incident.toll.sessions);
  }
  await tx.query(
    `insert into incident_book (id, now, split, rates_until) values (1, $1, $2, $3)
     on conflict (id) do update set now = excluded.now, split = excluded.split, rates_until = excluded.rates_until`,
    [new Date(change.book.now), JSON.stringify(change.book.split), new Date(change.ratesUntil ?? change.book.now)],
  );
  return ids;
}

/** Its key goes to a new incident: the row of the old one keeps the last that was known of it. */
async function retire(tx: Tx, key: string, id: string | undefined, incident: Incident | undefined): Promise<void> {
  if (id !== undefined && incident !== undefined) {
    await updateIncident(tx, id, incident, new Map());
    await nameSessions(tx, id, incident.toll.sessions);
  }
  await tx.query('update incident set is_current = false where key = $1 and is_current', [key]);
}

async function insertIncident(tx: Tx, incident: Incident): Promise<string> {
  const id = randomUUID();
  await tx.query(
    `insert into incident (id, key, is_current, server, cause, title, state, severity, opened_at, last_evidence_at, machine)
     values ($1, $2, true, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      incident.key,
      incident.server,
      incident.cause,
      incidentTitle(incident),
      incident.state,
      incident.severity,
      new Date(incident.openedAt),
      new Date(incident.lastEvidenceAt),
      encodeIncident(incident),
    ],
  );
  return id;
}

/** A severity that a person set holds until the machine finds it worse than before. */
async function updateIncident(tx: Tx, id: string, incident: Incident, ids: ReadonlyMap<string, string>): Promise<void> {
  await tx.query(
    `update incident set state = $2, own_severity = case when severity = $3 then own_severity end, severity = $3, opened_at = $4,
       last_evidence_at = $5, settled_at = $6, merged_into = coalesce($7, merged_into), machine = $8
     where id = $1`,
    [
      id,
      incident.state,
      incident.severity,
      new Date(incident.openedAt),
      new Date(incident.lastEvidenceAt),
      incident.settledAt === null ? null : new Date(incident.settledAt),
      incident.mergedInto === null ? null : (ids.get(incident.mergedInto) ?? null),
      encodeIncident(incident),
    ],
  );
}

async function nameSessions(tx: Tx, id: string, sessions: readonly string[]): Promise<void> {
  await tx.query(
    `insert into incident_session (incident_id, session_ref, place)
     select $1, session_ref::uuid, place - 1 from unnest($2::text[]) with ordinality as named (session_ref, place)
     on conflict do nothing`,
    [id, sessions],
  );
}
