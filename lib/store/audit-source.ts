import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { assessmentOfCode, BLAME_CODES, FINDING_CODES, reasonOfCode, SEVERITY_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import type { Finding } from '@/lib/audit/finding';
import {
  type AuditSource,
  type Changes,
  type Checkpoint,
  type FindingToStore,
  type Standing,
  type StoredChanges,
  type StoredRow,
  TakenOverError,
  type Waiting,
} from '@/lib/auditor/audit-source';
import { parseJsonExactly } from '@/lib/base/json';
import { appendLive } from '@/lib/store/live-log';
import { firstPlaceOf } from '@/lib/store/place';
import { rejudge } from '@/lib/store/rejudge';
import { SettledBatch } from '@/lib/store/settled-batch';
import { instantOf } from '@/lib/wire/instant';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** First half of the advisory locks that say who audits a server; the second is the server's number. */
const LOCK_CLASS = 731_020_482;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The audit's view of the database. */
export class PostgresAuditSource implements AuditSource {
  readonly #sql: Sql;
  readonly #locks: Sql;
  readonly #transactions: Transactions;
  readonly #unnamedOf: (server: string) => string;
  readonly #now: () => number;
  readonly #settled: SettledBatch;
  readonly #names = new Map<number, string>();
  #lockHolder: number | null = null;

  /**
   * @param locks a pool of one connection, whose session holds the locks
   * @param unnamedOf the session that records without any are of
   */
  constructor(sql: Sql, locks: Sql, transactions: Transactions, unnamedOf: (server: string) => string, now: () => number) {
    this.#sql = sql;
    this.#locks = locks;
    this.#transactions = transactions;
    this.#unnamedOf = unnamedOf;
    this.#now = now;
    this.#settled = new SettledBatch(sql, now);
  }

  settledBatch(): Promise<number> {
    return this.#settled.read();
  }

  async serversWaiting(): Promise<number[]> {
    const rows = await this.#sql<{ server_id: number }[]>`select distinct server_id from audit_inbox order by 1`;
    return rows.map((row) => row.server_id);
  }

  async isHolding(): Promise<boolean> {
    const [row] = await this.#locks<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid === this.#lockHolder;
  }

  async take(server: number): Promise<Standing | null> {
    const [locked] = await this.#locks<{ pid: number; is_ours: boolean }[]>`
      select pg_backend_pid() as pid, pg_try_advisory_lock(${LOCK_CLASS}, ${server}) as is_ours`;
    if (locked === undefined || !locked.is_ours) return null;
    this.#lockHolder = locked.pid;
    const [row] = await this.#sql<{ epoch: bigint; state: Uint8Array | null; server: string }[]>`
      insert into audit_checkpoint as c (server_id, epoch, state, saved_at) values (${server}, 1, null, now())
      on conflict (server_id) do update set epoch = c.epoch + 1
      returning epoch, state, (select name from server where id = ${server}) as server`;
    if (row === undefined) throw new Error('a checkpoint that was just written is not there');
    const provisional = await this.#sql<{ id: string; scope: string }[]>`
      select id, scope from (select id, body::json ->> 'scope' as scope from finding where server_id = ${server} and is_provisional) f
      where scope is not null`;
    // What cannot be unpacked is a state that cannot be read.
    const state = row.state === null ? null : await decompress(row.state).then(String, () => '');
    this.#names.set(server, row.server);
    return { epoch: row.epoch, server: row.server, state, provisional };
  }

  async release(server: number): Promise<void> {
    await this.#locks`select pg_advisory_unlock(${LOCK_CLASS}, ${server})`;
  }

  async leaveStanding(server: number, standing: Standing): Promise<void> {
    await this.#transactions.run(async (tx) => {
      await expectEpoch(tx, server, standing);
      const { rows } = await tx.query<{ id: string; body: string }>(
        'select id, body from finding where server_id = $1 and is_provisional for update',
        [server],
      );
      const bodies = rows.map(({ body }) => JSON.stringify({ ...JSON.parse(body), scope: undefined }));
      await tx.query('update finding f set body = g.body from unnest($1::uuid[], $2::text[]) as g (id, body) where f.id = g.id', [
        rows.map(({ id }) => id),
        bodies,
      ]);
    });
  }

  async waiting(server: number, above: number, upTo: number, limit: number): Promise<Waiting[]> {
    const rows = await this.#sql<{ batch: bigint; records: number; min_at: Date; max_at: Date; stored_at: Date }[]>`
      select batch, records, min_at, max_at, stored_at from audit_inbox
      where server_id = ${server} and batch > ${above} and batch <= ${upTo}
      order by batch limit ${limit}`;
    return rows.map((row) => ({
      batch: Number(row.batch),
      records: row.records,
      minAtMs: row.min_at.getTime(),
      maxAtMs: row.max_at.getTime(),
      storedAtMs: row.stored_at.getTime(),
    }));
  }

  async rows(server: number, batches: readonly Waiting[], fromPlace: number, limit: number): Promise<StoredRow[]> {
    const ranges = batches
      .map(({ batch, minAtMs, maxAtMs }) => ({
        first: Math.max(fromPlace, firstPlaceOf(batch)),
        end: firstPlaceOf(batch + 1),
        min_at: new Date(minAtMs).toISOString(),
        max_at: new Date(maxAtMs).toISOString(),
      }))
      .filter(({ first, end }) => first < end);
    const rows = await this.#sql<RecordRow[]>`
      with b as materialized (select * from json_to_recordset(${JSON.stringify(ranges)}::text::json)
        as given (first bigint, "end" bigint, min_at timestamptz, max_at timestamptz))
      select r.* from b cross join lateral (
        select place, at, received_at, session_ref, body, assessment, reason from attempt a
        where a.server_id = ${server} and a.place >= b.first and a.place < b.end and a.at >= b.min_at and a.at <= b.max_at
        union all
        select place, at, received_at, session_ref, body, null, null from record c
        where c.server_id = ${server} and c.place >= b.first and c.place < b.end and c.at >= b.min_at and c.at <= b.max_at
      ) r order by r.place limit ${limit}`;
    const name = this.#names.get(server) ?? '';
    const unnamed = this.#unnamedOf(name);
    return rows.map((row) => storedRow(row, name, unnamed));
  }

  async store(server: number, standing: Standing, changes: Changes, checkpoint: Checkpoint | null): Promise<StoredChanges> {
    const state = checkpoint === null ? null : await compress(checkpoint.state, { level: 1 });
    return this.#transactions.run(async (tx) => {
      await expectEpoch(tx, server, standing);
      const newFindings = await upsertFindings(tx, server, changes.findings, new Date(this.#now()));
      if (changes.withdrawn.length > 0) {
        await tx.query('delete from finding where is_provisional and id = any($1::uuid[])', [changes.withdrawn]);
      }
      const rejudged = await rejudge(tx, server, changes.resumes);
      if (checkpoint !== null) {
        await tx.query('update audit_checkpoint set state = $2, saved_at = now() where server_id = $1', [server, state]);
        await tx.query('delete from audit_inbox where server_id = $1 and batch = any($2::bigint[])', [server, checkpoint.batches]);
      }
      if (newFindings.length + rejudged + changes.withdrawn.length > 0) {
        await appendLive(tx, { stored: 0, attempts: 0, servers: [standing.server] });
      }
      return { newFindings, rejudged };
    });
  }
}

async function expectEpoch(tx: Tx, server: number, { epoch }: Standing): Promise<void> {
  const { rows } = await tx.query<{ epoch: string }>('select epoch::text from audit_checkpoint where server_id = $1 for update', [server]);
  if (rows[0]?.epoch !== epoch.toString()) throw new TakenOverError('another process audits the server now');
}

interface RecordRow {
  readonly place: bigint;
  readonly at: Date;
  readonly received_at: Date;
  readonly session_ref: string | null;
  readonly body: string;
  readonly assessment: number | null;
  readonly reason: number | null;
}

function storedRow(row: RecordRow, server: string, unnamed: string): StoredRow {
  // The body was validated before it was stored, and nothing else writes it.
  const sent = parseJsonExactly(row.body) as TelemetryRecord;
  const atMs = row.at.getTime();
  // An instant that was not believed is filed under the receipt: for the audit it is none.
  const session = row.session_ref?.replaceAll('-', '') ?? (sent.session === null ? null : unnamed);
  const record = { ...sent, server, session };
  if (instantOf(sent.at) !== atMs) delete record.at;
  return {
    place: Number(row.place),
    atMs,
    receivedAtMs: row.received_at.getTime(),
    record,
    judged:
      row.assessment === null
        ? null
        : { assessment: assessmentOfCode(row.assessment), reason: row.reason === null ? null : reasonOfCode(row.reason) },
  };
}

const REF = /^[0-9a-f]{32}$/;

/** Answers with the findings that were not stored before. One that nothing can take back stays so. */
async function upsertFindings(tx: Tx, server: number, findings: readonly FindingToStore[], now: Date): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const byId = new Map(findings.map((entry) => [entry.id, entry]));
  const all = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { rows } = await tx.query<{ id: string; is_new: boolean }>({
    name: 'upsert findings',
    text: `insert into finding as f (id, at, known_at, changed_at, server_id, session_ref, code, severity, blame, count, place, is_provisional, body)
      select g.id, coalesce((select at from attempt where server_id = $1 and place = g.place limit 1),
          (select at from record where server_id = $1 and place = g.place limit 1), $2),
        $2, $2, $1, g.session_ref, g.code, g.severity, g.blame, g.count, g.place, g.is_provisional, g.body
      from unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::smallint[], $7::smallint[], $8::numeric[], $9::bigint[], $10::bool[], $11::text[])
        as g (id, session_ref, code, severity, blame, count, place, is_provisional, body)
      on conflict (id) do update set changed_at = excluded.changed_at, severity = excluded.severity, blame = excluded.blame, count = excluded.count,
          is_provisional = f.is_provisional and excluded.is_provisional, body = excluded.body
        where f.body is distinct from excluded.body or (f.is_provisional and not excluded.is_provisional)
      returning id, xmax = 0 as is_new`,
    values: [
      server,
      now,
      all.map(({ id }) => id),
      all.map(({ finding: { session } }) => (session !== null && REF.test(session) ? session : null)),
      all.map(({ finding: { code } }) => FINDING_CODES[code]),
      all.map(({ finding: { severity } }) => SEVERITY_CODES[severity]),
      all.map(({ finding: { blame } }) => BLAME_CODES[blame]),
      all.map(({ finding: { count } }) => String(count)),
      all.map(({ finding: { index } }) => index),
      all.map(({ scope }) => scope !== null),
      all.map(({ finding, scope }) => JSON.stringify(scope === null ? finding : { ...finding, scope })),
    ],
  });
  return rows.filter((row) => row.is_new).flatMap(({ id }) => byId.get(id)?.finding ?? []);
}
