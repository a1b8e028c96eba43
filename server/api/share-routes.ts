import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import { newLinkToken } from '@/lib/http/link-token';
import { type Call, ok, type Route } from '@/lib/http/route';
import { queryShareLinks } from '@/lib/query/share-links';
import type { By } from '@/lib/store/members';
import { LinkMade, ShareLinkList } from '@/lib/wire/access-responses';
import type { Access } from '@/server/access/access';
import { decodeBody } from '@/server/api/decode-body';
import { noIncident, readIncidentId } from '@/server/api/incident-routes';

const DAY_S = 86_400;
const SHARE_S = 7 * DAY_S;
const SHARE_S_MAX = 90 * DAY_S;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ShareInput = Type.Object(
  { expires_in_s: Type.Optional(Type.Integer({ minimum: 60, maximum: SHARE_S_MAX, description: `seconds from 60 to ${SHARE_S_MAX}` })) },
  { description: 'an object' },
);

/** Links that show one incident to whoever has them: made, listed, revoked by those who work on it. */
export function shareRoutes({ sql, shares, hasher, now }: Access): Route[] {
  const byOf = ({ caller }: Call): By => ({ actor: caller.name, atMs: now() });
  return [
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/shares',
      summary: 'Links that show an incident to whoever has them, newest first; never the links themselves',
      scope: 'operate',
      answers: { 200: ShareLinkList },
      errors: ['not_found'],
      handle: async ({ params }) => ok({ items: await queryShareLinks(sql, readIncidentId(params), now()) }),
    },
    {
      method: 'POST',
      path: '/api/v1/incidents/{id}/shares',
      summary: 'Makes a link that shows an incident to whoever has it, read-only; it is in this answer and never shown again',
      scope: 'operate',
      body: { 'application/json': ShareInput },
      answers: { 201: LinkMade },
      errors: ['malformed_json', 'invalid_field', 'not_found'],
      handle: async (call) => {
        const incident = readIncidentId(call.params);
        const { expires_in_s = SHARE_S } = await decodeBody(call, ShareInput);
        const token = newLinkToken('tds');
        const expiresAtMs = now() + expires_in_s * 1000;
        const id = await shares.create(incident, hasher.hashOf('tds', token) ?? '', expiresAtMs, byOf(call));
        if (id === null) throw noIncident();
        return { status: 201, body: { id, path: `/shared/${token}`, expires_at: new Date(expiresAtMs).toISOString() } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/incidents/{id}/shares/{share}',
      summary: 'Ends a link to an incident at once',
      scope: 'operate',
      answers: { 200: Type.Object({ revoked: Type.Boolean() }) },
      errors: ['not_found'],
      handle: async (call) => {
        const share = call.params['share'] ?? '';
        const isRevoked = UUID.test(share) && (await shares.revoke(readIncidentId(call.params), share, byOf(call)));
        if (!isRevoked) throw new HttpError('not_found', 'the incident has no link of this id that holds');
        return ok({ revoked: true });
      },
    },
  ];
}
