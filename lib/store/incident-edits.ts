import type { Transactions, Tx } from '@/db/transactions';
import { noteIncidentEvent } from '@/lib/store/incident-log';

/** What a person may set on an incident; absent members stay. */
export interface IncidentEdit {
  readonly title?: string | undefined;
  readonly owner?: string | null | undefined;
  readonly severity?: string | undefined;
  readonly links?: readonly { readonly title: string; readonly url: string }[] | undefined;
}

/** Sets members of an incident, each change in its log. False when there is no such incident. */
export function editIncident(transactions: Transactions, id: string, edit: IncidentEdit, actor: string, now: number): Promise<boolean> {
  return transactions.run(async (tx) => {
    const row = await lockedRow(tx, id);
    if (row === null) return false;
    const changes: [keyof IncidentEdit, string | null, string | null][] = [
      ['title', row.title, edit.title ?? row.title],
      ['owner', row.owner, edit.owner === undefined ? row.owner : edit.owner],
      ['severity', row.own_severity ?? row.severity, edit.severity ?? row.own_severity ?? row.severity],
      ['links', row.links, edit.links === undefined ? row.links : JSON.stringify(edit.links)],
    ];
    const made = changes.filter(([, before, after]) => before !== after);
    if (made.length === 0) return true;
    const [title, owner, severity, links] = changes.map(([, , after]) => after);
    await tx.query(
      `update incident set title = $2, owner = $3, own_severity = case when severity = $4 then null else $4 end, links = $5, content = $6
       where id = $1`,
      [id, title, owner, severity, links, row.content === null ? null : contentWith(row.content, made)],
    );
    for (const [member, before, after] of made) {
      await noteIncidentEvent(tx, id, {
        at: now,
        type: member,
        actor,
        detail: { before: read(member, before), after: read(member, after) },
      });
    }
    return true;
  });
}

/** The state of an imported incident, which no machine works on. False when there is no such incident. */
export function setImportedState(transactions: Transactions, id: string, state: string, actor: string, now: number): Promise<boolean> {
  return transactions.run(async (tx) => {
    const row = await lockedRow(tx, id);
    if (row === null || row.content === null) return false;
    if (row.state === state) return true;
    const content = contentWith(row.content, [['state', row.state, state]]);
    const settledAt = state === 'open' ? null : new Date(now);
    await tx.query('update incident set state = $2, settled_at = $3, content = $4 where id = $1', [id, state, settledAt, content]);
    await noteIncidentEvent(tx, id, { at: now, type: state === 'open' ? 'reopened' : state, actor, detail: {} });
    return true;
  });
}

/** Adds a comment to the log. False when there is no such incident. */
export function commentIncident(transactions: Transactions, id: string, text: string, actor: string, now: number): Promise<boolean> {
  return transactions.run(async (tx) => {
    if ((await lockedRow(tx, id)) === null) return false;
    await noteIncidentEvent(tx, id, { at: now, type: 'comment', actor, detail: { text } });
    return true;
  });
}

/** Adds to the log that an incident was done again, and what came of it. */
export function noteReplay(
  transactions: Transactions,
  id: string,
  detail: Readonly<Record<string, unknown>>,
  actor: string,
  now: number,
): Promise<boolean> {
  return transactions.run(async (tx) => {
    if ((await lockedRow(tx, id)) === null) return false;
    await noteIncidentEvent(tx, id, { at: now, type: 'replayed', actor, detail });
    return true;
  });
}

/** Removes an imported incident with its records. False when there is none of that id that was imported. */
export function deleteImported(transactions: Transactions, id: string): Promise<boolean> {
  return transactions.run(async (tx) => {
    const { rowCount } = await tx.query('delete from incident where id = $1 and key is null', [id]);
    return rowCount === 1;
  });
}

interface EditedRow {
  readonly title: string;
  readonly owner: string | null;
  readonly state: string;
  readonly severity: string;
  readonly own_severity: string | null;
  readonly links: string;
  readonly content: string | null;
}

async function lockedRow(tx: Tx, id: string): Promise<EditedRow | null> {
  const { rows } = await tx.query<EditedRow>(
    'select title, owner, state, severity, own_severity, links, content from incident where id = $1 for update',
    [id],
  );
  return rows[0] ?? null;
}

/** What an imported bundle said, with what was changed since: its next export says so too. */
function contentWith(content: string, changes: readonly (readonly [string, string | null, string | null])[]): string {
  // Checked before it was stored.
  const told = JSON.parse(content) as Record<string, unknown>;
  for (const [member, , after] of changes) told[member] = read(member, after);
  return JSON.stringify(told);
}

const read = (member: string, text: string | null): unknown => (member === 'links' && text !== null ? JSON.parse(text) : text);
