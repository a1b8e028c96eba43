import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { Instance } from '@/lib/alerting/evaluate';
import type { Group } from '@/lib/alerting/group';
import { preview, previewStepMs } from '@/lib/alerting/preview';
import { RuleInput, ruleOf } from '@/lib/alerting/rule';
import { lookbackMs } from '@/lib/alerting/sample';
import { MATCH_OPERATORS, type Silence } from '@/lib/alerting/silence';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryAlertEvents, queryStandings } from '@/lib/query/alerting-state';
import { acknowledgeEpisode } from '@/lib/store/alerting-evaluation';
import { literals } from '@/lib/wire/schema';
import type { AlertingContext } from '@/server/alerting-context';
import { ACK_DONE_PAGE, ACK_OVER_PAGE, ackPage } from '@/server/api/ack-page';
import { decodeBody } from '@/server/api/decode-body';

const DAY_MS = 86_400_000;
const Items = Type.Object({ items: Type.Array(Type.Unknown()) });
const Text = Type.String({ minLength: 1, maxLength: 256, description: 'text of 1 to 256 characters' });
const SilenceInput = Type.Object(
  {
    matchers: Type.Array(Type.Object({ name: Text, op: literals(MATCH_OPERATORS), value: Type.String({ maxLength: 256 }) }), {
      minItems: 1,
      maxItems: 20,
      description: '1 to 20 matchers with name, op and value',
    }),
    starts_at: Type.Optional(Type.String({ description: 'an instant, RFC 3339' })),
    ends_at: Type.String({ description: 'an instant, RFC 3339' }),
    comment: Text,
    author: Text,
  },
  { description: 'a silence' },
);
const PreviewInput = Type.Object({
  rule: RuleInput,
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 14, description: 'days from 1 to 14' })),
});

/** Rules, alerts, silences and acknowledgements. */
export function alertRoutes(context: AlertingContext): Route[] {
  return [...ruleRoutes(context), ...standingRoutes(context), ...silenceRoutes(context), ...ackRoutes(context)];
}

function ruleRoutes({ registry, setup, measures, sql, now, wakeEvaluator }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/rules',
      summary: 'Alert rules with their origin and how they stand',
      answers: { 200: Items },
      handle: async () => {
        const standings = new Map((await queryStandings(sql)).map((standing) => [standing.rule, standing]));
        const entries = [...(await registry.ruleEntries()).values()];
        return ok({
          items: entries.map(({ input, origin }) => {
            const standing = standings.get(input.name);
            return { rule: input, origin, state: stateOf(standing?.instances ?? []), evaluated_at: isoOf(standing?.evaluatedAtMs ?? null) };
          }),
        });
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/alerts/rules/{name}',
      summary: 'Makes a rule, or overrides a preset of its name',
      scope: 'operate',
      body: { 'application/json': RuleInput },
      answers: { 200: RuleInput },
      errors: ['malformed_json', 'invalid_field', 'provisioned'],
      handle: async (call) => {
        const rule = await decodeBody(call, RuleInput);
        if (rule.name !== call.params['name']) throw invalidField('name', 'must be the name in the path');
        const channels = await registry.channels();
        const unknown = [...(rule.channels ?? []), ...(rule.escalate?.channels ?? [])].find((name) => !channels.has(name));
        if (unknown !== undefined) throw invalidField('channels', `names ${unknown}, which is no channel`);
        refuseProvisioned((await registry.ruleEntries()).get(rule.name)?.origin);
        await setup.putRule(rule, now());
        wakeEvaluator();
        return ok(rule);
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/alerts/rules/{name}',
      summary: 'Removes a rule made through the API; a preset of its name comes back',
      scope: 'operate',
      answers: { 200: Type.Object({ deleted: Type.Boolean() }) },
      errors: ['not_found', 'provisioned'],
      handle: async ({ params }) => {
        const name = params['name'] ?? '';
        refuseProvisioned((await registry.ruleEntries()).get(name)?.origin);
        if (!(await setup.deleteRule(name)))
          throw new HttpError('not_found', 'there is no rule of this name that was made through the API');
        wakeEvaluator();
        return ok({ deleted: true });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/preview',
      summary: 'How often a rule would have fired lately; nothing is stored',
      scope: 'read',
      body: { 'application/json': PreviewInput },
      answers: { 200: Type.Object({ fired: Type.Integer(), episodes: Type.Array(Type.Unknown()), points: Type.Array(Type.Unknown()) }) },
      errors: ['malformed_json', 'invalid_field'],
      handle: async (call) => {
        const { rule: input, days } = await decodeBody(call, PreviewInput);
        const rule = ruleOf(input);
        const toMs = now();
        const fromMs = toMs - (days ?? 7) * DAY_MS;
        const buckets = await measures.buckets(rule, fromMs - lookbackMs(rule), toMs, previewStepMs(rule, fromMs, toMs));
        const { fired, episodes, points } = preview(rule, buckets, fromMs, toMs);
        return ok({
          fired,
          episodes: episodes.map(({ labels, openedAtMs, closedAtMs }) => ({
            labels,
            opened_at: isoOf(openedAtMs),
            closed_at: isoOf(closedAtMs),
          })),
          points: points.map(({ atMs, value, firing }) => ({ at: isoOf(atMs), value, firing })),
        });
      },
    },
  ];
}

function standingRoutes({ sql }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts',
      summary: 'Alerts that are pending, firing or recovering, and what was told of them',
      answers: { 200: Items },
      handle: async () =>
        ok({
          items: (await queryStandings(sql)).flatMap(({ rule, instances, groups }) =>
            instances.map((instance) => alertItem(rule, instance, groups)),
          ),
        }),
    },
    {
      method: 'GET',
      path: '/api/v1/alerts/events',
      summary: 'What happened to alerts, newest first',
      query: Type.Object({ rule: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) }),
      answers: { 200: Items },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        return ok({ items: await queryAlertEvents(sql, reader.text('rule'), reader.integer('limit', 100, 1, 1000)) });
      },
    },
  ];
}

function silenceRoutes({ setup, now, wakeEvaluator }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/silences',
      summary: 'Silences in force or to come',
      answers: { 200: Items },
      handle: async () => ok({ items: (await setup.silences(now())).map(silenceItem) }),
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/silences',
      summary: 'Keeps matching alerts quiet until an instant',
      scope: 'operate',
      body: { 'application/json': SilenceInput },
      answers: { 201: Type.Object({ id: Type.String() }) },
      errors: ['malformed_json', 'invalid_field'],
      handle: async (call) => {
        const input = await decodeBody(call, SilenceInput);
        const startsAtMs = input.starts_at === undefined ? now() : instantOf('starts_at', input.starts_at);
        const endsAtMs = instantOf('ends_at', input.ends_at);
        if (endsAtMs <= Math.max(startsAtMs, now())) throw invalidField('ends_at', 'must be after the start, and to come');
        const id = randomUUID();
        await setup.addSilence({ id, matchers: input.matchers, startsAtMs, endsAtMs, comment: input.comment, author: input.author });
        return { status: 201, body: { id } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/alerts/silences/{id}',
      summary: 'Ends a silence now',
      scope: 'operate',
      answers: { 200: Type.Object({ ended: Type.Boolean() }) },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        if (!UUID.test(id) || !(await setup.endSilence(id, now())))
          throw new HttpError('not_found', 'there is no silence of this id in force');
        wakeEvaluator();
        return ok({ ended: true });
      },
    },
  ];
}

/**
 * The signed link of a message. Opening it only shows a button: mail programs open links by themselves, and that
 * must not acknowledge anything.
 */
function ackRoutes({ tokens, transactions, now }: AlertingContext): Route[] {
  const query = Type.Object({ token: Type.String({ description: 'the token of the link in the message' }) });
  const claimOf = (search: URLSearchParams) => {
    const claim = tokens.read(search.get('token') ?? '', now());
    if (claim === null) throw new HttpError('not_found', 'this acknowledgement link has expired or is not whole');
    return claim;
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/ack',
      summary: 'A page with the button that acknowledges an alert',
      scope: 'none',
      query,
      answers: { 200: 'text/html; charset=utf-8' },
      errors: ['not_found'],
      handle: ({ query: search }) => {
        const claim = claimOf(search);
        return { ...ok(ackPage(claim.rule)), mediaType: 'text/html; charset=utf-8' };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/ack',
      summary: 'Acknowledges an alert: it is neither repeated nor escalated any more',
      scope: 'none',
      query,
      answers: { 200: 'text/html; charset=utf-8' },
      errors: ['not_found'],
      handle: async ({ query: search }) => {
        const isDone = await acknowledgeEpisode(transactions, claimOf(search), 'signed link', now());
        return { ...ok(isDone ? ACK_DONE_PAGE : ACK_OVER_PAGE), mediaType: 'text/html; charset=utf-8' };
      },
    },
  ];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function refuseProvisioned(origin: string | undefined): void {
  if (origin === 'config') throw new HttpError('provisioned', 'this name is set in the configuration file');
}

const isoOf = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());

function instantOf(path: string, text: string): number {
  const at = Date.parse(text);
  if (!(at >= 0)) throw invalidField(path, 'must be an instant, RFC 3339');
  return at;
}

/** The most urgent state among a rule's alerts; its health is told apart. */
function stateOf(instances: readonly Instance[]): string {
  for (const kind of ['error', 'no_data'] as const) {
    if (instances.some((instance) => instance.kind === kind && instance.phase !== 'pending')) return kind;
  }
  return (['firing', 'recovering', 'pending'] as const).find((phase) => instances.some((instance) => instance.phase === phase)) ?? 'normal';
}

function alertItem(rule: string, instance: Instance, groups: readonly Group[]) {
  const episode = groups.find(({ key }) => key === instance.group)?.episode ?? null;
  return {
    rule,
    kind: instance.kind,
    state: instance.phase,
    labels: instance.labels,
    value: instance.value,
    since: isoOf(instance.sinceMs),
    opened_at: isoOf(instance.openedAtMs),
    told_at: isoOf(episode?.openedAtMs ?? null),
    acknowledged_at: isoOf(episode?.ackedAtMs ?? null),
    acknowledged_by: episode?.ackedBy ?? null,
    escalated_at: isoOf(episode?.escalatedAtMs ?? null),
  };
}

const silenceItem = ({ id, matchers, startsAtMs, endsAtMs, comment, author }: Silence) => ({
  id,
  matchers,
  starts_at: isoOf(startsAtMs),
  ends_at: isoOf(endsAtMs),
  comment,
  author,
});
