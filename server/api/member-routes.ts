import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import { newLinkToken } from '@/lib/http/link-token';
import { type Call, ok, type Route } from '@/lib/http/route';
import { queryInvitations, queryMembers } from '@/lib/query/members';
import type { By, MemberRefusal } from '@/lib/store/members';
import { InvitationList, LinkMade, MemberList } from '@/lib/wire/access-responses';
import type { Access } from '@/server/access/access';
import { decodeBody } from '@/server/api/decode-body';
import { Email, RoleInput } from '@/server/api/member-input';

const DAY_S = 86_400;
const INVITE_S = 7 * DAY_S;
const INVITE_S_MAX = 30 * DAY_S;
const RESET_S = DAY_S;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const InviteInput = Type.Object(
  {
    role: RoleInput,
    email: Type.Optional(Email),
    expires_in_s: Type.Optional(Type.Integer({ minimum: 60, maximum: INVITE_S_MAX, description: `seconds from 60 to ${INVITE_S_MAX}` })),
  },
  { description: 'an object with role' },
);
const RoleChange = Type.Object({ role: RoleInput }, { description: 'an object with role' });
const Done = Type.Object({ done: Type.Boolean() });

/** Members and invitations, for administrators. */
export function memberRoutes(access: Access): Route[] {
  return [...listRoutes(access), ...changeRoutes(access), ...linkRoutes(access)];
}

function listRoutes({ sql, now }: Access): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/members',
      summary: 'Members with their roles and how they sign in',
      scope: 'admin',
      answers: { 200: MemberList },
      handle: async () => ok({ items: await queryMembers(sql, now()) }),
    },
    {
      method: 'GET',
      path: '/api/v1/invitations',
      summary: 'Invitations that hold, newest first; never their links',
      scope: 'admin',
      answers: { 200: InvitationList },
      handle: async () => ok({ items: await queryInvitations(sql, now()) }),
    },
  ];
}

function changeRoutes(access: Access): Route[] {
  const { members } = access;
  const route = (
    method: 'PATCH' | 'DELETE' | 'POST',
    path: string,
    summary: string,
    change: (id: string, by: By, call: Call) => Promise<MemberRefusal | null>,
  ): Route => ({
    method,
    path,
    summary,
    scope: 'admin',
    ...(method === 'PATCH' ? { body: { 'application/json': RoleChange } } : {}),
    answers: { 200: Done },
    errors: method === 'PATCH' ? ['malformed_json', 'invalid_field', 'not_found', 'last_admin'] : ['not_found', 'last_admin'],
    handle: async (call) => {
      const refusal = await change(call.params['id'] ?? '', byOf(access, call), call);
      if (refusal === 'unknown') throw noMember();
      if (refusal === 'last_admin') throw new HttpError('last_admin', 'nobody else could change members any more');
      return ok({ done: true });
    },
  });
  return [
    route('PATCH', '/api/v1/members/{id}', 'Gives a member another role, from their next request on', async (id, by, call) =>
      members.changeRole(id, (await decodeBody(call, RoleChange)).role, by),
    ),
    route('DELETE', '/api/v1/members/{id}', 'Removes a member; their sign-ins end at once', (id, by) => members.remove(id, by)),
    route('POST', '/api/v1/members/{id}/sign-out', 'Ends every sign-in of a member', (id, by) => members.signOutEverywhere(id, by)),
  ];
}

function linkRoutes(access: Access): Route[] {
  const { invitations, hasher, now } = access;
  const made = (token: string, id: string | null, expiresAtMs: number) => ({
    status: 201,
    body: { id, path: `/join#${token}`, expires_at: new Date(expiresAtMs).toISOString() },
  });
  return [
    {
      method: 'POST',
      path: '/api/v1/invitations',
      summary: 'Makes a link by which one person becomes a member; it is in this answer and never shown again',
      body: { 'application/json': InviteInput },
      answers: { 201: LinkMade },
      errors: ['malformed_json', 'invalid_field', 'member_exists'],
      handle: async (call) => {
        const { role, email, expires_in_s = INVITE_S } = await decodeBody(call, InviteInput);
        const token = newLinkToken('tdi');
        const expiresAtMs = now() + expires_in_s * 1000;
        const hash = hasher.hashOf('tdi', token) ?? '';
        const invitation = { kind: 'invite', role, email: email?.toLowerCase() ?? null, memberId: null, expiresAtMs, hash } as const;
        const id = await invitations.invite(invitation, byOf(access, call));
        if (id === 'member_exists') throw new HttpError('member_exists', 'there is a member of this e-mail address');
        return made(token, id, expiresAtMs);
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/invitations/{id}',
      summary: 'Revokes an invitation that was not used yet',
      answers: { 200: Done },
      errors: ['not_found'],
      handle: async (call) => {
        const id = call.params['id'] ?? '';
        if (!UUID.test(id) || !(await invitations.revoke(id, byOf(access, call))))
          throw new HttpError('not_found', 'there is no invitation of this id that holds');
        return ok({ done: true });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/members/{id}/reset',
      summary: 'Makes a link by which a member sets a new password; earlier ones end',
      scope: 'admin',
      answers: { 201: LinkMade },
      errors: ['not_found'],
      handle: async (call) => {
        const token = newLinkToken('tdi');
        const expiresAtMs = now() + RESET_S * 1000;
        const hash = hasher.hashOf('tdi', token) ?? '';
        if ((await invitations.resetOf(call.params['id'] ?? '', hash, expiresAtMs, byOf(access, call))) === null) throw noMember();
        return made(token, null, expiresAtMs);
      },
    },
  ];
}

const byOf = ({ now }: Access, { caller }: Call): By => ({ actor: caller.name, atMs: now() });

const noMember = (): HttpError => new HttpError('not_found', 'there is no member of this id', { nextStep: 'see /api/v1/members' });
