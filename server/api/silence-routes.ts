import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { MatcherSchema, SilenceList } from '@/lib/alerting/answer-schema';
import { matches } from '@/lib/alerting/silence';
import { nameFor } from '@/lib/http/caller';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { queryStandings } from '@/lib/query/alerting-state';
import type { AlertingContext } from '@/server/alerting-context';
import { firingLabels } from '@/server/api/alert-routes';
import { decodeBody } from '@/server/api/decode-body';
import { isoOf } from '@/server/api/iso-of';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const Text = Type.String({ minLength: 1, maxLength: 256, description: 'text of 1 to 256 characters' });
const SilenceInput = Type.Object(
  {
    matchers: Type.Array(MatcherSchema, { minItems: 1, maxItems: 20, description: '1 to 20 matchers with name, op and value' }),
    starts_at: Type.Optional(Type.String({ description: 'an instant, RFC 3339' })),
    ends_at: Type.String({ description: 'an instant, RFC 3339' }),
    comment: Text,
    author: Text,
  },
  { description: 'a silence' },
);

/** What keeps alerts quiet: silences that people set, and inhibitions between rules. */
export function silenceRoutes({ sql, setup, inhibitions, now, wakeEvaluator }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/silences',
      summary: 'Silences in force or to come, and the inhibitions between rules',
      answers: { 200: SilenceList },
      handle: async () => {
        const nowMs = now();
        const [silences, standings] = await Promise.all([setup.silences(nowMs), queryStandings(sql)]);
        const firing = standings.flatMap(firingLabels);
        return ok({
          items: silences.map(({ id, matchers, startsAtMs, endsAtMs, comment, author }) => ({
            id,
            matchers,
            starts_at: isoOf(startsAtMs),
            ends_at: isoOf(endsAtMs),
            comment,
            author,
            quiet: startsAtMs > nowMs ? 0 : firing.filter((labels) => matches(matchers, labels)).length,
          })),
          inhibitions,
        });
      },
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
        const author = nameFor(call.caller, input.author);
        const asked = { atMs: now(), actor: call.caller.name };
        await setup.addSilence({ id, matchers: input.matchers, startsAtMs, endsAtMs, comment: input.comment, author }, asked);
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
      handle: async ({ params, caller }) => {
        const id = params['id'] ?? '';
        if (!UUID.test(id) || !(await setup.endSilence(id, { atMs: now(), actor: caller.name })))
          throw new HttpError('not_found', 'there is no silence of this id in force');
        wakeEvaluator();
        return ok({ ended: true });
      },
    },
  ];
}

function instantOf(path: string, text: string): number {
  const at = Date.parse(text);
  if (!(at >= 0)) throw invalidField(path, 'must be an instant, RFC 3339');
  return at;
}
