import type { Sql } from '@/db/connect';
import type { RuleInput } from '@/lib/alerting/rule';
import type { Matcher, Silence } from '@/lib/alerting/silence';

/** A channel as it is stored: address and secrets are sealed. */
export interface SealedChannel {
  readonly name: string;
  readonly type: string;
  readonly sealed: string;
}

/** What people set up for alerting through the API. */
export class AlertSetup {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async rules(): Promise<RuleInput[]> {
    const rows = await this.#sql<{ spec: string }[]>`select spec from alert_rule order by name`;
    // Validated before it was stored.
    return rows.map(({ spec }) => JSON.parse(spec) as RuleInput);
  }

  async putRule(rule: RuleInput, nowMs: number): Promise<void> {
    await this.#sql`
      insert into alert_rule (name, spec, updated_at) values (${rule.name}, ${JSON.stringify(rule)}, ${new Date(nowMs)})
      on conflict (name) do update set spec = excluded.spec, updated_at = excluded.updated_at`;
  }

  async deleteRule(name: string): Promise<boolean> {
    return (await this.#sql`delete from alert_rule where name = ${name} returning name`).length > 0;
  }

  channels(): Promise<SealedChannel[]> {
    return this.#sql<SealedChannel[]>`select name, type, sealed from alert_channel order by name`;
  }

  async putChannel({ name, type, sealed }: SealedChannel, nowMs: number): Promise<void> {
    await this.#sql`
      insert into alert_channel (name, type, sealed, updated_at) values (${name}, ${type}, ${sealed}, ${new Date(nowMs)})
      on conflict (name) do update set type = excluded.type, sealed = excluded.sealed, updated_at = excluded.updated_at`;
  }

  /** Removes a channel; what waits for it is dead. */
  async deleteChannel(name: string, nowMs: number): Promise<boolean> {
    const rows = await this.#sql`
      with gone as (delete from alert_channel where name = ${name} returning name),
        ended as (
          update alert_delivery set state = 'dead', dead_reason = 'endpoint_unknown', finished_at = ${new Date(nowMs)}
          where endpoint in (select name from gone) and state = 'pending')
      select name from gone`;
    return rows.length > 0;
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

  async addSilence({ id, matchers, startsAtMs, endsAtMs, comment, author }: Silence): Promise<void> {
    await this.#sql`
      insert into alert_silence (id, matchers, starts_at, ends_at, comment, author)
      values (${id}, ${JSON.stringify(matchers)}, ${new Date(startsAtMs)}, ${new Date(endsAtMs)}, ${comment}, ${author})`;
  }

  /** Ends a silence now; false when there is none in force or to come. */
  async endSilence(id: string, nowMs: number): Promise<boolean> {
    const now = new Date(nowMs);
    return (await this.#sql`update alert_silence set ends_at = ${now} where id = ${id}::uuid and ends_at > ${now} returning id`).length > 0;
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
