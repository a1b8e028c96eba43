import Type from 'typebox';
import { Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

/** A key made through the API; its text is only ever in the answer that made it. */
export const AccessKeyItem = Type.Object({
  id: Type.String(),
  /** The begin of the key, by which people tell it from others. */
  prefix: Type.String(),
  label: Type.String(),
  /** Name of the project whose servers it may send records of. */
  project: Type.String(),
  scopes: Type.Array(Type.String()),
  /** `expiring` passes until `expires_at`. */
  state: literals(['active', 'expiring', 'expired', 'revoked'] as const),
  created_at: Instant,
  created_by: Type.String(),
  /** To the minute. */
  last_used_at: Nullable(Instant),
  expires_at: Nullable(Instant),
  revoked_at: Nullable(Instant),
  /** The key that this one was made for in a rotation. */
  replaces: Nullable(Type.String()),
});
export type AccessKeyItem = Type.Static<typeof AccessKeyItem>;
export const AccessKeyList = Type.Object({ items: Type.Array(AccessKeyItem) });
export type AccessKeyList = Type.Static<typeof AccessKeyList>;
export const AccessKeyMade = Type.Object({
  id: Type.String(),
  key: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  scopes: Type.Array(Type.String()),
});
export type AccessKeyMade = Type.Static<typeof AccessKeyMade>;
