import Type from 'typebox';
import { nameFor } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { acknowledgeEpisode } from '@/lib/store/alerting-evaluation';
import type { AlertingContext } from '@/server/alerting-context';
import { ACK_DONE_PAGE, ACK_OVER_PAGE, ackPage } from '@/server/api/ack-page';
import { decodeBody } from '@/server/api/decode-body';

const AckInput = Type.Object({
  rule: Type.String({ maxLength: 100, description: 'the name of the rule' }),
  group: Type.String({ maxLength: 4096, description: 'the group of the alert' }),
  episode: Type.Integer({ minimum: 0, description: 'the episode of the alert' }),
  by: Type.String({ minLength: 1, maxLength: 100, description: 'who takes it on, 1 to 100 characters' }),
});

/**
 * Acknowledgements: from the product, and by the signed link of a message. Opening the link only shows a button:
 * mail programs open links by themselves, and that must not acknowledge anything.
 */
export function ackRoutes({ tokens, transactions, now }: AlertingContext): Route[] {
  const query = Type.Object({ token: Type.String({ description: 'the token of the link in the message' }) });
  const claimOf = (search: URLSearchParams) => {
    const claim = tokens.read(search.get('token') ?? '', now());
    if (claim === null) throw new HttpError('not_found', 'this acknowledgement link has expired or is not whole');
    return claim;
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/alerts/acknowledge',
      summary: 'Acknowledges what was told of an alert: it is neither repeated nor escalated any more',
      scope: 'operate',
      body: { 'application/json': AckInput },
      answers: { 200: Type.Object({ acknowledged: Type.Boolean() }) },
      errors: ['malformed_json', 'invalid_field', 'not_found'],
      handle: async (call) => {
        const { rule, group, episode, by } = await decodeBody(call, AckInput);
        const claim = { rule, groupKey: group, episode, expiresAtMs: Number.POSITIVE_INFINITY };
        if (!(await acknowledgeEpisode(transactions, claim, nameFor(call.caller, by), now())))
          throw new HttpError('not_found', 'there is nothing to acknowledge: it is over, or somebody has acknowledged it before');
        return ok({ acknowledged: true });
      },
    },
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
      summary: 'Acknowledges an alert by the signed link of its message',
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
