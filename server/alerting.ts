import { Counter, type Registry } from 'prom-client';
import type { DatabasePools } from '@/db/pools';
import { PRESET_INHIBITIONS } from '@/lib/alerting/presets';
import type { RuleInput } from '@/lib/alerting/rule';
import { AckTokens } from '@/lib/delivery/ack-token';
import { AddressGuard } from '@/lib/delivery/address-guard';
import { AlertRegistry, targetOf } from '@/lib/delivery/alert-registry';
import type { Channel } from '@/lib/delivery/channel';
import { Composer } from '@/lib/delivery/compose';
import { Evaluator } from '@/lib/delivery/evaluator';
import { Loop } from '@/lib/delivery/loop';
import { Seal } from '@/lib/delivery/seal';
import { openSender } from '@/lib/delivery/sender';
import { type Signal, SignalQueue } from '@/lib/delivery/signal-queue';
import { DeliveryWorker } from '@/lib/delivery/worker';
import type { Route } from '@/lib/http/route';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { AlertSetup } from '@/lib/store/alerting-admin';
import { PostgresEvaluationStore } from '@/lib/store/alerting-evaluation';
import { ensureEndpoints, PostgresOutbox } from '@/lib/store/alerting-outbox';
import { addSignals } from '@/lib/store/alerting-signals';
import type { AlertingContext } from '@/server/alerting-context';
import { ackRoutes } from '@/server/api/ack-routes';
import { alertRoutes } from '@/server/api/alert-routes';
import { channelRoutes } from '@/server/api/channel-routes';
import { deliveryRoutes } from '@/server/api/delivery-routes';
import { ruleRoutes } from '@/server/api/rule-routes';
import { silenceRoutes } from '@/server/api/silence-routes';

export interface AlertingConfig {
  readonly channels: readonly {
    readonly name: string;
    readonly type: Channel['type'];
    readonly url: string;
    readonly secret: string | null;
  }[];
  readonly rules: readonly RuleInput[];
  readonly allowPrivateTargets: readonly string[];
}

export interface AlertingParts {
  readonly pools: DatabasePools;
  readonly secret: Uint8Array;
  readonly config: AlertingConfig;
  /** Where people reach the product. */
  readonly baseUrl: string;
  readonly now: () => number;
  readonly log: (level: 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly metrics: Registry;
}

export interface Alerting {
  readonly routes: readonly Route[];
  /** Something was stored: rules that fire at once are to be looked at. */
  readonly wake: () => void;
  /** Raises an alert from outside a rule: a rule on the signal's code decides whom it is told. Never throws, never waits. */
  readonly raise: (signal: Signal) => void;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 4;
const EVALUATE_EVERY_MS = 10_000;
/** Woken by stored records, rules are evaluated at most this often. */
const EVALUATE_SPACING_MS = 1_000;
const DELIVER_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;
/** How long the log of deliveries and events is kept. */
const KEPT_MS = 30 * 86_400_000;

/** Opens everything that decides on alerts and sends them. Replicas share the work through the database. */
export function openAlerting({ pools, secret, config, baseUrl, now, log, metrics }: AlertingParts): Alerting {
  const sql = pools.statements(CONNECTIONS, 'alerting');
  const transactions = pools.transactions(CONNECTIONS, 'alerting');
  const setup = new AlertSetup(sql, transactions);
  const provisioned = { rules: config.rules, channels: config.channels.map((channel) => ({ ...channel, previous: null })) };
  const registry = new AlertRegistry(
    { rules: () => setup.rules(), channels: () => setup.channels() },
    provisioned,
    new Seal(secret, 'alert channels'),
  );
  const guard = new AddressGuard(config.allowPrivateTargets);
  const tokens = new AckTokens(secret);
  const measures = new PostgresMeasures(sql);
  const composer = new Composer({ source: measures, channels: () => registry.channels(), tokens, baseUrl: () => baseUrl });
  const sender = openSender(guard);
  const count = countersOn(metrics);
  const evaluator = new Evaluator({
    store: new PostgresEvaluationStore(transactions),
    source: measures,
    rules: () => registry.rules(),
    inhibitions: PRESET_INHIBITIONS,
    compose: (item, told, nowMs) => composer.compose(item, told, nowMs),
    now,
    onFailure: (rule, message) => log('warn', 'a rule could not be evaluated', { rule, message }),
  });
  const worker = new DeliveryWorker({
    outbox: new PostgresOutbox(sql, transactions),
    sender,
    channels: () => registry.channels(),
    now,
    random: Math.random,
    elapsed: () => performance.now(),
    onAttempt: count.attempt,
  });
  const stopping = new AbortController();
  const deliver = new Loop({
    run: async () => {
      await ensureEndpoints(sql, new Map([...(await registry.channels())].map(([name, channel]) => [name, targetOf(channel)])));
      await worker.drain(stopping.signal);
    },
    intervalMs: DELIVER_EVERY_MS,
    spacingMs: 100,
    onError: (cause) => log('warn', 'alerts could not be delivered; they stay in the outbox', { cause }),
  });
  const evaluate = new Loop({
    run: async () => {
      const result = await evaluator.tick();
      // Whoever evaluated may not have seen what woke us.
      if (result === null) evaluate.wake();
      if (result === null || result.deliveries === 0) return;
      count.decided(result.deliveries);
      deliver.wake();
    },
    intervalMs: EVALUATE_EVERY_MS,
    spacingMs: EVALUATE_SPACING_MS,
    onError: (cause) => log('warn', 'alert rules could not be evaluated', { cause }),
  });
  const prune = new Loop({
    run: async () => {
      await worker.expire();
      await setup.prune(now() - KEPT_MS);
    },
    intervalMs: PRUNE_EVERY_MS,
    spacingMs: PRUNE_EVERY_MS,
    onError: (cause) => log('warn', 'the alert log could not be pruned', { cause }),
  });
  const signals = new SignalQueue({
    store: (batch, nowMs) => addSignals(sql, batch, nowMs),
    now,
    onStored: () => evaluate.wake(),
    onError: (cause) => log('warn', 'a signal could not be stored yet', { cause }),
  });
  const context: AlertingContext = {
    sql,
    transactions,
    setup,
    registry,
    inhibitions: PRESET_INHIBITIONS,
    measures,
    composer,
    tokens,
    now,
    wakeWorker: () => deliver.wake(),
    wakeEvaluator: () => evaluate.wake(),
  };
  return {
    routes: [
      ...alertRoutes(context),
      ...ackRoutes(context),
      ...ruleRoutes(context),
      ...silenceRoutes(context),
      ...channelRoutes(context),
      ...deliveryRoutes(context),
    ],
    wake: () => evaluate.wake(),
    raise: (signal) => signals.raise(signal),
    close: async () => {
      stopping.abort();
      await signals.close();
      await Promise.all([evaluate.close(), prune.close()]);
      await deliver.close();
      await sender.close();
      await Promise.all([transactions.close(), sql.end({ timeout: 5 })]);
    },
  };
}

function countersOn(registry: Registry) {
  const attempts = new Counter({
    name: 'tidemark_alert_attempts_total',
    help: 'Attempts to deliver an alert, by kind of channel and outcome',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  });
  const decided = new Counter({
    name: 'tidemark_alert_notifications_total',
    help: 'Alert messages put into the outbox',
    registers: [registry],
  });
  return {
    attempt: (channel: Channel, outcome: string): void => attempts.inc({ type: channel.type, outcome }),
    decided: (deliveries: number): void => decided.inc(deliveries),
  };
}
