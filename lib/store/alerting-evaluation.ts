import type { Transactions, Tx } from '@/db/transactions';
import { acknowledge } from '@/lib/alerting/group';
import type { Matcher, Silence } from '@/lib/alerting/silence';
import type { AckClaim } from '@/lib/delivery/ack-token';
import type { AlertEvent, Evaluation, EvaluationStore, StoredRule } from '@/lib/delivery/evaluation-store';
import { addDeliveries } from '@/lib/store/alerting-outbox';

/** Any number that no other user of the database takes for its own advisory lock. */
const EVALUATION_LOCK = 7_310_204_812;

/** State of alerting in Postgres; of all processes that share the database one evaluates at a time. */
export class PostgresEvaluationStore implements EvaluationStore {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async underLock<T>(work: (evaluation: Evaluation) => Promise<T>): Promise<T | null> {
    const held = await this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [EVALUATION_LOCK]);
      return rows[0]?.locked === true ? { value: await work(evaluationOn(tx)) } : null;
    });
    return held === null ? null : held.value;
  }
}

function evaluationOn(tx: Tx): Evaluation {
  return {
    load: () => loadStates(tx),
    silences: (nowMs) => silencesAt(tx, nowMs),
    endpointsTold: async (rule, groupKey, episode) => {
      const { rows } = await tx.query<{ endpoint: string }>(
        `select distinct endpoint from alert_delivery
         where rule = $1 and group_key = $2 and episode = $3 and state <> 'superseded' order by endpoint`,
        [rule, groupKey, String(episode)],
      );
      return rows.map(({ endpoint }) => endpoint);
    },
    save: async (name, { rule, state, groups, coveredFromMs }, evaluatedAtMs) => {
      await tx.query(
        `insert into alert_state (rule, state, evaluated_at) values ($1, $2, $3)
         on conflict (rule) do update set state = excluded.state, evaluated_at = excluded.evaluated_at`,
        [name, JSON.stringify({ rule, instances: state.instances, groups, coveredFromMs }), new Date(evaluatedAtMs)],
      );
    },
    forget: async (name) => {
      await tx.query('delete from alert_state where rule = $1', [name]);
    },
    touch: async (names, nowMs) => {
      await tx.query('update alert_state set evaluated_at = $1 where rule = any($2)', [new Date(nowMs), names]);
    },
    note: (events, nowMs) => noteEvents(tx, events, nowMs),
    deliver: (deliveries, nowMs) => addDeliveries(tx, deliveries, nowMs),
  };
}

type StoredState = Pick<StoredRule, 'rule' | 'groups' | 'coveredFromMs'> & { readonly instances: StoredRule['state']['instances'] };

async function loadStates(tx: Tx): Promise<ReadonlyMap<string, StoredRule>> {
  const { rows } = await tx.query<StateRow>('select rule, state, evaluated_at from alert_state for update');
  return new Map(rows.map((row) => [row.rule, storedRule(row.state, row.evaluated_at)]));
}

interface StateRow {
  readonly rule: string;
  readonly state: string;
  readonly evaluated_at: Date;
}

function storedRule(text: string, evaluatedAt: Date): StoredRule {
  // Written by `save` and by nothing else.
  const { rule, groups, coveredFromMs, instances } = JSON.parse(text) as StoredState;
  return { rule, groups, coveredFromMs, state: { evaluatedAtMs: evaluatedAt.getTime(), instances } };
}

async function silencesAt(tx: Tx, nowMs: number): Promise<Silence[]> {
  const { rows } = await tx.query<{ id: string; matchers: string; starts_at: Date; ends_at: Date; comment: string; author: string }>(
    'select id, matchers, starts_at, ends_at, comment, author from alert_silence where starts_at <= $1 and ends_at > $1',
    [new Date(nowMs)],
  );
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

async function noteEvents(tx: Tx, events: readonly AlertEvent[], nowMs: number): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, rule, groupKey, labels, detail }) => ({
    type,
    rule,
    group_key: groupKey,
    labels: JSON.stringify(labels),
    detail,
  }));
  await tx.query(
    `insert into alert_event (at, type, rule, group_key, labels, detail)
     select $1, type, rule, group_key, labels, detail
     from json_to_recordset($2) as event (type text, rule text, group_key text, labels text, detail text)`,
    [new Date(nowMs), JSON.stringify(rows)],
  );
}

/** Notes that somebody takes an episode on. False when it is over, unknown, or was acknowledged before. */
export function acknowledgeEpisode(
  transactions: Transactions,
  { rule, groupKey, episode }: AckClaim,
  by: string,
  nowMs: number,
): Promise<boolean> {
  return transactions.run(async (tx) => {
    const { rows } = await tx.query<StateRow>('select rule, state, evaluated_at from alert_state where rule = $1 for update', [rule]);
    const [row] = rows;
    if (row === undefined) return false;
    const { state, ...rest } = storedRule(row.state, row.evaluated_at);
    const group = rest.groups[groupKey];
    const acked = group === undefined ? null : acknowledge(group, episode, by, nowMs);
    if (acked === null) return false;
    const text = JSON.stringify({ ...rest, instances: state.instances, groups: { ...rest.groups, [groupKey]: acked } });
    await tx.query('update alert_state set state = $2 where rule = $1', [rule, text]);
    await noteEvents(tx, [{ type: 'acknowledged', rule, groupKey, labels: {}, detail: by }], nowMs);
    return true;
  });
}
