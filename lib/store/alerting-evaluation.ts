import type { Sql, Transaction } from '@/db/connect';
import { acknowledge } from '@/lib/alerting/group';
import type { Matcher, Silence } from '@/lib/alerting/silence';
import type { AckClaim } from '@/lib/delivery/ack-token';
import type { AlertEvent, Evaluation, EvaluationStore, StoredRule } from '@/lib/delivery/evaluation-store';
import { addDeliveries } from '@/lib/store/alerting-outbox';

/** Any number that no other user of the database takes for its own advisory lock. */
const EVALUATION_LOCK = 7_310_204_812;

/** State of alerting in Postgres; of all processes that share the database one evaluates at a time. */
export class PostgresEvaluationStore implements EvaluationStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async underLock<T>(work: (evaluation: Evaluation) => Promise<T>): Promise<T | null> {
    const held = await this.#sql.begin(async (tx) => {
      const [row] = await tx<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${EVALUATION_LOCK}) as locked`;
      return row?.locked === true ? { value: await work(evaluationOn(tx)) } : null;
    });
    return held === null ? null : held.value;
  }
}

function evaluationOn(tx: Transaction): Evaluation {
  return {
    load: () => loadStates(tx),
    silences: (nowMs) => silencesAt(tx, nowMs),
    endpointsTold: async (rule, groupKey, episode) => {
      const rows = await tx<{ endpoint: string }[]>`
        select distinct endpoint from alert_delivery
        where rule = ${rule} and group_key = ${groupKey} and episode = ${BigInt(episode)} and state <> 'superseded'
        order by endpoint`;
      return rows.map(({ endpoint }) => endpoint);
    },
    save: async (name, { rule, state, groups, coveredFromMs }, nowMs) => {
      const text = JSON.stringify({ rule, instances: state.instances, groups, coveredFromMs });
      await tx`
        insert into alert_state (rule, state, evaluated_at) values (${name}, ${text}, ${new Date(nowMs)})
        on conflict (rule) do update set state = excluded.state, evaluated_at = excluded.evaluated_at`;
    },
    forget: async (name) => {
      await tx`delete from alert_state where rule = ${name}`;
    },
    touch: async (nowMs) => {
      await tx`update alert_state set evaluated_at = ${new Date(nowMs)}`;
    },
    note: (events, nowMs) => noteEvents(tx, events, nowMs),
    deliver: (deliveries, nowMs) => addDeliveries(tx, deliveries, nowMs),
  };
}

type StoredState = Pick<StoredRule, 'rule' | 'groups' | 'coveredFromMs'> & { readonly instances: StoredRule['state']['instances'] };

async function loadStates(tx: Transaction): Promise<ReadonlyMap<string, StoredRule>> {
  const rows = await tx<
    { rule: string; state: string; evaluated_at: Date }[]
  >`select rule, state, evaluated_at from alert_state for update`;
  return new Map(rows.map((row) => [row.rule, storedRule(row.state, row.evaluated_at)]));
}

function storedRule(text: string, evaluatedAt: Date): StoredRule {
  // Written by `save` and by nothing else.
  const { rule, groups, coveredFromMs, instances } = JSON.parse(text) as StoredState;
  return { rule, groups, coveredFromMs, state: { evaluatedAtMs: evaluatedAt.getTime(), instances } };
}

async function silencesAt(tx: Transaction, nowMs: number): Promise<Silence[]> {
  const rows = await tx<{ id: string; matchers: string; starts_at: Date; ends_at: Date; comment: string; author: string }[]>`
    select id, matchers, starts_at, ends_at, comment, author from alert_silence
    where starts_at <= ${new Date(nowMs)} and ends_at > ${new Date(nowMs)}`;
  return rows.map(({ id, matchers, starts_at, ends_at, comment, author }) => ({
    id,
    // Validated before it was stored.
    matchers: JSON.parse(matchers) as Matcher[],
    startsAtMs: starts_at.getTime(),
    endsAtMs: ends_at.getTime(),
    comment,
    author,
  }));
}

async function noteEvents(tx: Transaction, events: readonly AlertEvent[], nowMs: number): Promise<void> {
  if (events.length === 0) return;
  const at = new Date(nowMs);
  const rows = events.map(({ type, rule, groupKey, labels, detail }) => ({
    at,
    type,
    rule,
    group_key: groupKey,
    labels: JSON.stringify(labels),
    detail,
  }));
  await tx`insert into alert_event ${tx(rows, 'at', 'type', 'rule', 'group_key', 'labels', 'detail')}`;
}

/** Notes that somebody takes an episode on. False when it is over, unknown, or was acknowledged before. */
export async function acknowledgeEpisode(sql: Sql, { rule, groupKey, episode }: AckClaim, by: string, nowMs: number): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [row] = await tx<
      { state: string; evaluated_at: Date }[]
    >`select state, evaluated_at from alert_state where rule = ${rule} for update`;
    if (row === undefined) return false;
    const stored = storedRule(row.state, row.evaluated_at);
    const group = stored.groups[groupKey];
    const acked = group === undefined ? null : acknowledge(group, episode, by, nowMs);
    if (acked === null) return false;
    const { state, ...rest } = stored;
    const text = JSON.stringify({ ...rest, instances: state.instances, groups: { ...stored.groups, [groupKey]: acked } });
    await tx`update alert_state set state = ${text} where rule = ${rule}`;
    await noteEvents(tx, [{ type: 'acknowledged', rule, groupKey, labels: {}, detail: by }], nowMs);
    return true;
  });
}
