import { boolean, index, integer, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { incident } from './incident';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** People who may sign in. Shape by the sign-in library, which also writes here when somebody comes by OpenID Connect. */
export const member = pgTable('member', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** Lower case; what a member is known by in the change log. */
  email: text().notNull().unique(),
  emailVerified: boolean('email_verified').notNull(),
  image: text(),
  /** `viewer`, `operator` or `admin`. */
  role: text().notNull().default('viewer'),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** Who is signed in where. The token is of no use by itself: the cookie is signed with the installation's secret. */
export const memberSession = pgTable(
  'member_session',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => member.id, { onDelete: 'cascade' }),
    token: text().notNull().unique(),
    expiresAt: instant('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [index('member_session_user').on(table.userId)],
);

/** How a member proves to be one: a password, hashed with scrypt, or a subject of the OpenID provider. */
export const memberAccount = pgTable(
  'member_account',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => member.id, { onDelete: 'cascade' }),
    providerId: text('provider_id').notNull(),
    accountId: text('account_id').notNull(),
    password: text(),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: text(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [index('member_account_user').on(table.userId), uniqueIndex('member_account_provider').on(table.providerId, table.accountId)],
);

/** What a sign-in at the OpenID provider has to come back with. */
export const memberVerification = pgTable(
  'member_verification',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [index('member_verification_identifier').on(table.identifier)],
);

/** One-time links: the first administrator, an invitation, a new password. Only a keyed hash of the token is kept. */
export const invitation = pgTable('invitation', {
  id: uuid().primaryKey(),
  /** Keyed hash, hexadecimal. */
  hash: text().notNull().unique(),
  /** `first_run`, `invite` or `reset`. */
  kind: text().notNull(),
  role: text().notNull(),
  /** Whom it is for; null lets the one who opens it say. */
  email: text(),
  /** Whose password it resets. */
  memberId: text('member_id').references(() => member.id, { onDelete: 'cascade' }),
  createdAt: instant('created_at').notNull(),
  createdBy: text('created_by').notNull(),
  expiresAt: instant('expires_at').notNull(),
  usedAt: instant('used_at'),
  revokedAt: instant('revoked_at'),
});

/** Tries to sign in, counted in windows by a keyed hash of what they have in common. */
export const signInTry = pgTable(
  'sign_in_try',
  {
    hash: text().primaryKey(),
    tries: integer().notNull(),
    until: instant('until').notNull(),
  },
  (table) => [index('sign_in_try_until').on(table.until)],
);

/** Links that show one incident to whoever has them. Only a keyed hash of the token is kept. */
export const shareLink = pgTable(
  'share_link',
  {
    id: uuid().primaryKey(),
    hash: text().notNull().unique(),
    incidentId: uuid('incident_id')
      .notNull()
      .references(() => incident.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
  },
  (table) => [index('share_link_incident').on(table.incidentId)],
);
