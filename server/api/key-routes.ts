import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { SCOPES } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import { newKeyText } from '@/lib/http/key-text';
import { ok, type Route } from '@/lib/http/route';
import { queryAccessKeys } from '@/lib/query/access-keys';
import { AccessKeyList, AccessKeyMade } from '@/lib/wire/key-responses';
import { literals } from '@/lib/wire/schema';
import type { AccessKeys } from '@/server/access-keys';
import { decodeBody } from '@/server/api/decode-body';
import { notAProject, ProjectName } from '@/server/api/project-routes';

const OVERLAP_S = 86_400;
const OVERLAP_S_MAX = 30 * 86_400;
const EXPIRY_S_MAX = 10 * 366 * 86_400;
const Label = Type.String({ minLength: 1, maxLength: 100, pattern: '^\\P{Cc}*$', description: 'text of 1 to 100 characters' });
const Expiry = Type.Integer({ minimum: 1, maximum: EXPIRY_S_MAX, description: `seconds from 1 to ${EXPIRY_S_MAX}` });
const KeyInput = Type.Object(
  {
    label: Label,
    project: Type.Optional(ProjectName),
    scopes: Type.Array(literals(SCOPES), {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: `some of ${SCOPES.join(', ')}`,
    }),
    expires_in_s: Type.Optional(Expiry),
  },
  { description: 'an object with label and scopes' },
);
const RotateInput = Type.Object(
  {
    overlap_s: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_S_MAX, description: `seconds from 0 to ${OVERLAP_S_MAX}` })),
    expires_in_s: Type.Optional(Type.Union([Expiry, Type.Null()], { description: `seconds from 1 to ${EXPIRY_S_MAX}, or null for none` })),
  },
  { description: 'an object' },
);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Access keys: listed, made (and shown that once), rotated with an overlap, revoked. */
export function keyRoutes(sql: Sql, keys: AccessKeys, now: () => number): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/keys',
      summary: 'Keys made through the API, newest first; never the keys themselves',
      scope: 'admin',
      answers: { 200: AccessKeyList },
      handle: async () => {
        await keys.store.noteUsed(keys.ring.takeUsed());
        return ok({ items: await queryAccessKeys(sql, now()) });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/keys',
      summary: 'Makes a key; its text is in this answer and never shown again',
      body: { 'application/json': KeyInput },
      answers: { 201: AccessKeyMade },
      errors: ['malformed_json', 'invalid_field'],
      handle: async (call) => {
        const { label, project = null, scopes, expires_in_s } = await decodeBody(call, KeyInput);
        const made = newKey(keys);
        const expiresAtMs = expires_in_s === undefined ? null : now() + expires_in_s * 1000;
        const key = { ...made, label, project, scopes, expiresAtMs };
        if (!(await keys.store.create(key, { actor: call.caller.name, atMs: now() }))) throw notAProject();
        await keys.reload();
        return { status: 201, body: { id: made.id, key: made.text, prefix: `tdm_${made.prefix}`, label, scopes } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/keys/{id}/rotate',
      summary:
        'Makes a key that replaces another; both pass during the overlap, a day unless given; expires as the other would have, unless given',
      body: { 'application/json': RotateInput },
      answers: { 201: AccessKeyMade },
      errors: ['malformed_json', 'invalid_field', 'not_found'],
      handle: async (call) => {
        const { overlap_s = OVERLAP_S, expires_in_s } = await decodeBody(call, RotateInput);
        const made = newKey(keys);
        const change = { actor: call.caller.name, atMs: now() };
        const key = await keys.store.rotate(
          idOf(call.params['id']),
          { ...made, expiresAtMs: expiryOf(expires_in_s, now()) },
          now() + overlap_s * 1000,
          change,
        );
        if (key === null) throw noKey();
        await keys.reload();
        const { label, scopes } = key;
        return { status: 201, body: { id: made.id, key: made.text, prefix: `tdm_${made.prefix}`, label, scopes } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/keys/{id}',
      summary: 'Revokes a key at once',
      answers: { 200: Type.Object({ revoked: Type.Boolean() }) },
      errors: ['not_found'],
      handle: async ({ params, caller }) => {
        if (!(await keys.store.revoke(idOf(params['id']), { actor: caller.name, atMs: now() }))) throw noKey();
        await keys.reload();
        return ok({ revoked: true });
      },
    },
  ];
}

/** Undefined where nothing was asked for. */
function expiryOf(inS: number | null | undefined, nowMs: number): number | null | undefined {
  return typeof inS === 'number' ? nowMs + inS * 1000 : inS;
}

function newKey({ hasher }: AccessKeys) {
  const { text, prefix } = newKeyText();
  return { id: randomUUID(), text, prefix, hash: hasher.hashOf(text).toString('hex') };
}

function idOf(text: string | undefined): string {
  if (text === undefined || !UUID.test(text)) throw noKey();
  return text;
}

function noKey(): HttpError {
  return new HttpError('not_found', 'there is no key of this id that holds', { nextStep: 'see /api/v1/keys for those there are' });
}
