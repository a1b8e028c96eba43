import Type from 'typebox';
import { PreviewAnswer, RuleList, type RuleStateWord } from '@/lib/alerting/answer-schema';
import type { Instance } from '@/lib/alerting/evaluate';
import { PRESET_RULES } from '@/lib/alerting/presets';
import { preview, previewStepMs } from '@/lib/alerting/preview';
import { RuleInput, ruleOf } from '@/lib/alerting/rule';
import { lookbackMs } from '@/lib/alerting/sample';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { queryFired, queryStandings } from '@/lib/query/alerting-state';
import type { AlertingContext } from '@/server/alerting-context';
import { decodeBody } from '@/server/api/decode-body';
import { isoOf } from '@/server/api/iso-of';

const DAY_MS = 86_400_000;
const FIRED_DAYS = 7;
const PreviewInput = Type.Object({
  rule: RuleInput,
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 14, description: 'days from 1 to 14' })),
});
const PRESET_NAMES = new Set(PRESET_RULES.map(({ name }) => name));

/** Rules: what there is, how each stands, and what one would have done. */
export function ruleRoutes(context: AlertingContext): Route[] {
  return [listRoute(context), putRoute(context), deleteRoute(context), previewRoute(context)];
}

function listRoute({ registry, sql, now }: AlertingContext): Route {
  return {
    method: 'GET',
    path: '/api/v1/alerts/rules',
    summary: 'Alert rules with their origin and how they stand',
    answers: { 200: RuleList },
    handle: async () => {
      const [standings, fired, entries] = await Promise.all([
        queryStandings(sql),
        queryFired(sql, now() - FIRED_DAYS * DAY_MS),
        registry.ruleEntries(),
      ]);
      const byName = new Map(standings.map((standing) => [standing.rule.name, standing]));
      return ok({
        items: [...entries.values()].map(({ input, rule, origin }) => {
          const standing = byName.get(input.name);
          const instances = rule.enabled ? (standing?.instances ?? []) : [];
          return {
            rule: input,
            origin,
            is_read_only: origin === 'config',
            overrides_preset: origin !== 'preset' && PRESET_NAMES.has(input.name),
            state: rule.enabled ? stateOf(instances) : 'off',
            alerts: instances.length,
            evaluated_at: rule.enabled ? isoOf(standing?.evaluatedAtMs ?? null) : null,
            fired: fired.get(input.name)?.fired ?? 0,
            fired_at: fired.get(input.name)?.firedAt ?? null,
          };
        }),
      });
    },
  };
}

function putRoute({ registry, setup, now, wakeEvaluator }: AlertingContext): Route {
  return {
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
      await setup.putRule(rule, { atMs: now(), actor: call.caller.name });
      wakeEvaluator();
      return ok(rule);
    },
  };
}

function deleteRoute({ registry, setup, now, wakeEvaluator }: AlertingContext): Route {
  return {
    method: 'DELETE',
    path: '/api/v1/alerts/rules/{name}',
    summary: 'Removes a rule made through the API; a preset of its name comes back',
    scope: 'operate',
    answers: { 200: Type.Object({ deleted: Type.Boolean() }) },
    errors: ['not_found', 'provisioned'],
    handle: async ({ params, caller }) => {
      const name = params['name'] ?? '';
      refuseProvisioned((await registry.ruleEntries()).get(name)?.origin);
      if (!(await setup.deleteRule(name, { atMs: now(), actor: caller.name })))
        throw new HttpError('not_found', 'there is no rule of this name that was made through the API');
      wakeEvaluator();
      return ok({ deleted: true });
    },
  };
}

function previewRoute({ measures, now }: AlertingContext): Route {
  return {
    method: 'POST',
    path: '/api/v1/alerts/preview',
    summary: 'How often a rule would have fired lately; nothing is stored',
    scope: 'read',
    body: { 'application/json': PreviewInput },
    answers: { 200: PreviewAnswer },
    errors: ['malformed_json', 'invalid_field'],
    handle: async (call) => {
      const { rule: input, days } = await decodeBody(call, PreviewInput);
      const rule = ruleOf(input);
      const toMs = now();
      const fromMs = toMs - (days ?? FIRED_DAYS) * DAY_MS;
      const buckets = await measures.buckets(rule, fromMs - lookbackMs(rule), toMs, previewStepMs(rule, fromMs, toMs));
      const { fired, episodes, points } = preview(rule, buckets, fromMs, toMs);
      return ok({
        from: isoOf(fromMs),
        to: isoOf(toMs),
        fired,
        episodes: episodes.map(({ labels, openedAtMs, closedAtMs }) => ({
          labels,
          opened_at: isoOf(openedAtMs),
          closed_at: isoOf(closedAtMs),
        })),
        points: points.map(({ atMs, value, firing }) => ({ at: isoOf(atMs), value, firing })),
      });
    },
  };
}

function refuseProvisioned(origin: string | undefined): void {
  if (origin === 'config') throw new HttpError('provisioned', 'this name is set in the configuration file');
}

/** The most urgent state among a rule's alerts; its health is told apart. */
function stateOf(instances: readonly Instance[]): RuleStateWord {
  for (const kind of ['error', 'no_data'] as const) {
    if (instances.some((instance) => instance.kind === kind && instance.phase !== 'pending')) return kind;
  }
  return (['firing', 'recovering', 'pending'] as const).find((phase) => instances.some((instance) => instance.phase === phase)) ?? 'normal';
}
