import Type from 'typebox';
import { ROLES } from '@/lib/access/roles';
import { Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

const Role = literals(ROLES);

/** What a page needs to know before anybody signed in. */
export const AccessBody = Type.Object({
  auth: literals(['on', 'off'] as const),
  /** False: the first administrator is still to come, by the link that the start printed. */
  has_admin: Type.Boolean(),
  /** Name of the OpenID provider; null without one. */
  provider: Nullable(Type.String()),
});
export type AccessBody = Type.Static<typeof AccessBody>;

/** Who asks. `local` stands for everybody where nobody is asked to sign in. */
export const MeBody = Type.Object({
  kind: literals(['member', 'key', 'local'] as const),
  name: Type.String(),
  email: Nullable(Type.String()),
  role: Nullable(Role),
  scopes: Type.Array(Type.String()),
});
export type MeBody = Type.Static<typeof MeBody>;

export const MemberItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Role,
  created_at: Instant,
  has_password: Type.Boolean(),
  /** Whether they came by the OpenID provider. */
  has_provider: Type.Boolean(),
  /** Sign-ins that hold now. */
  sign_ins: Type.Integer({ minimum: 0 }),
  /** The newest of them. */
  signed_in_at: Nullable(Instant),
});
export type MemberItem = Type.Static<typeof MemberItem>;
export const MemberList = Type.Object({ items: Type.Array(MemberItem) });
export type MemberList = Type.Static<typeof MemberList>;

export const InvitationItem = Type.Object({
  id: Type.String(),
  /** Null: whoever opens the link says. */
  email: Nullable(Type.String()),
  role: Role,
  created_at: Instant,
  created_by: Type.String(),
  expires_at: Instant,
});
export type InvitationItem = Type.Static<typeof InvitationItem>;
export const InvitationList = Type.Object({ items: Type.Array(InvitationItem) });
export type InvitationList = Type.Static<typeof InvitationList>;

/** A link that was made. `path` holds its token, which is in this answer and never shown again. */
export const LinkMade = Type.Object({ id: Nullable(Type.String()), path: Type.String(), expires_at: Instant });
export type LinkMade = Type.Static<typeof LinkMade>;

/** What a one-time link is for. */
export const LinkBody = Type.Object({
  kind: literals(['first_run', 'invite', 'reset'] as const),
  role: Role,
  email: Nullable(Type.String()),
  created_by: Type.String(),
  expires_at: Instant,
});
export type LinkBody = Type.Static<typeof LinkBody>;

/** A link that shows one incident to whoever has it; never its token. */
export const ShareLinkItem = Type.Object({
  id: Type.String(),
  state: literals(['active', 'expired', 'revoked'] as const),
  created_at: Instant,
  created_by: Type.String(),
  expires_at: Instant,
});
export type ShareLinkItem = Type.Static<typeof ShareLinkItem>;
export const ShareLinkList = Type.Object({ items: Type.Array(ShareLinkItem) });
export type ShareLinkList = Type.Static<typeof ShareLinkList>;
