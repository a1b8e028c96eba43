import type { Tx } from '@/db/transactions';

/** One entry of an incident's log. */
export interface IncidentEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: string;
  /** Who did it; null is the machine. */
  readonly actor: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Adds an entry to the log of an incident, in the transaction of what it tells. */
export async function noteIncidentEvent(tx: Tx, id: string, { at, type, actor, detail }: IncidentEvent): Promise<void> {
  await tx.query('insert into incident_event (incident_id, at, type, actor, detail) values ($1, $2, $3, $4, $5)', [
    id,
    new Date(at),
    type,
    actor,
    JSON.stringify(detail),
  ]);
}
