import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import type { RuleInput } from '@/lib/alerting/rule';
import type { Matcher, Silence } from '@/lib/alerting/silence';
import { logChange } from '@/lib/store/change-log';

/** Who asks for a change, and when. */
export interface Asked {
  readonly atMs: number;
  readonly actor: string;
}

/** A channel as it is stored: address and secrets are sealed. */
export interface SealedChannel {
  readonly name: string;
  readonly type: string;
  readonly sealed: string;
}

/** What people set up for alerting through the API. Each change stands in the change log too, both or neither. */
export class AlertSetup {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  async rules(): Promise<RuleInput[]> {
    const rows = await this.#sql<{ spec: string }[]>`select spec from alert_rule order by name`;
    // Validated before it was stored.
    return rows.map(({ spec }) => JSON.parse(spec) as RuleInput);
  }

  async putRule(rule: RuleInput, asked: Asked): Promise<void> {
    const spec = JSON.stringify(rule);
    await this.#transactions.run(async (tx) => {
      const before = await specOf(tx, rule.name);
      await tx.query(
        `insert into alert_rule (name, spec, updated_at) values ($1, $2, to_timestamp($3::float8 / 1000))
         on conflict (name) do update set spec = excluded.spec, updated_at = excluded.updated_at`,
        [rule.name, spec, asked.atMs],
      );
      const action = before === null ? 'alert_rule.created' : 'alert_rule.changed';
      await logChange(tx, { ...asked, action, subject: rule.name, before, after: rule });
    });
  }

  /** Removes a rule; false when there is none of this name. */
  deleteRule(name: string, asked: Asked): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const before = await specOf(tx, name);
      if (before === null) return false;
      await tx.query('delete from alert_rule where name = $1', [name]);
      await logChange(tx, { ...asked, action: 'alert_rule.removed', subject: name, before, after: null });
      return true;
    });
  }

  channels(): Promise<SealedChannel[]> {
    return this.#sql<SealedChannel[]>`select name, type, sealed from alert_channel order by name`;
  }

  async putChannel({ name, type, sealed }: SealedChannel, asked: Asked, how: 'changed' | 'secret_rotated' = 'changed'): Promise<void> {
    await this.#transactions.run(async (tx) => {
      const before = await channelTypeOf(tx, name);
      await tx.query(
        `insert into alert_channel (name, type, sealed, updated_at) values ($1, $2, $3, to_timestamp($4::float8 / 1000))
         on conflict (name) do update set type = excluded.type, sealed = excluded.sealed, updated_at = excluded.updated_at`,
        [name, type, sealed, asked.atMs],
      );
      const action = `alert_channel.${before === null ? 'created' : how}`;
      await logChange(tx, { ...asked, action, subject: name, before, after: { type } });
    });
  }

  /** Removes a channel; what waits for it is dead. False when there is none of this name. */
  deleteChannel(name: string, asked: Asked): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const before = await channelTypeOf(tx, name);
      if (before === null) return false;
      await tx.query('delete from alert_channel where name = $1', [name]);
      await tx.query(
        `update alert_delivery set state = 'dead', dead_reason = 'endpoint_unknown', finished_at = to_timestamp($2::float8 / 1000)
         where endpoint = $1 and state = 'pending'`,
        [name, asked.atMs],
      );
      await logChange(tx, { ...asked, action: 'alert_channel.removed', subject: name, before, after: null });
      return true;
    });
  }

  /** Silences that are in force or to come. */
  async silences(nowMs: number): Promise<Silence[]> {
    const rows = await this.#sql<SilenceRow[]>`
      select id, matchers, starts_at, ends_at, comment, author from alert_silence where ends_at > ${new Date(nowMs)} order by ends_at, id`;
    return rows.map((row) => ({
      id: row.id,
      // Validated before it was stored.
      matchers: JSON.parse(row.matchers) as Matcher[],
      startsAtMs: row.starts_at.getTime(),
      endsAtMs: row.ends_at.getTime(),
      comment: row.comment,
      author: row.author,
    }));
  }

  async addSilence({ id, matchers, startsAtMs, endsAtMs, comment, author }: Silence, asked: Asked): Promise<void> {
    await this.#transactions.run(async (tx) => {
      await tx.query(
        `insert into alert_silence (id, matchers, starts_at, ends_at, comment, author)
         values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5, $6)`,
        [id, JSON.stringify(matchers), startsAtMs, endsAtMs, comment, author],
      );
      const after = { matchers, ends_at: new Date(endsAtMs).toISOString(), comment };
      await logChange(tx, { ...asked, action: 'alert_silence.created', subject: id, before: null, after });
    });
  }

  /** Ends a silence now; false when there is none in force or to come. */
  endSilence(id: string, asked: Asked): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ comment: string; ends_at: Date }>(
        'select comment, ends_at from alert_silence where id = $1::uuid and ends_at > to_timestamp($2::float8 / 1000) for update',
        [id, asked.atMs],
      );
      const [silence] = rows;
      if (silence === undefined) return false;
      await tx.query('update alert_silence set ends_at = to_timestamp($2::float8 / 1000) where id = $1::uuid', [id, asked.atMs]);
      const before = { ends_at: silence.ends_at.toISOString(), comment: silence.comment };
      await logChange(tx, { ...asked, action: 'alert_silence.ended', subject: id, before, after: null });
      return true;
    });
  }

  /** Deletes what is no longer of use to anybody: log, events and silences that ended before `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    const before = new Date(beforeMs);
    await this.#sql`delete from alert_delivery where state <> 'pending' and created_at < ${before}`;
    await this.#sql`delete from alert_event where at < ${before}`;
    await this.#sql`delete from alert_signal where at < ${before}`;
    await this.#sql`delete from alert_silence where ends_at < ${before}`;
  }
}

interface SilenceRow {
  readonly id: string;
  readonly matchers: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly comment: string;
  readonly author: string;
}

/** The rule of a name as it stands, locked until the transaction ends; null when there is none. */
async function specOf(tx: Tx, name: string): Promise<unknown> {
  const { rows } = await tx.query<{ spec: string }>('select spec from alert_rule where name = $1 for update', [name]);
  return rows[0] === undefined ? null : JSON.parse(rows[0].spec);
}

/** What may be told of a channel: address and secrets stay sealed. */
async function channelTypeOf(tx: Tx, name: string): Promise<{ readonly type: string } | null> {
  const { rows } = await tx.query<{ type: string }>('select type from alert_channel where name = $1 for update', [name]);
  return rows[0] === undefined ? null : { type: rows[0].type };
}
