import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { genericOAuth } from 'better-auth/plugins';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { member, memberAccount, memberSession, memberVerification } from '@/db/schema/member';
import type { OidcConfig } from '@/lib/config/config';
import { SIGN_IN_COOKIE_PREFIX } from '@/lib/http/cookie-prefix';

export const PROVIDER_ID = 'oidc';
export const PASSWORD_CHARS_MIN = 12;
export const PASSWORD_CHARS_MAX = 128;
const COOKIE = `${SIGN_IN_COOKIE_PREFIX}.session_token`;
const SIGN_IN_S = 7 * 86_400;
const RENEWED_AFTER_S = 86_400;

/** Where the library's own paths are; only those that a route of ours names are reachable. */
export const LIBRARY_PATH = '/api/v1/sign-in';

export interface SignInLibraryParts {
  readonly pool: pg.Pool;
  readonly secret: Uint8Array;
  /** Where people reach the product. */
  readonly baseUrl: string;
  readonly provider: ProviderParts | null;
  readonly log: (level: 'warn' | 'error', message: string) => void;
}

/** A provider of OpenID Connect, and who is told of members that it brought. */
export interface ProviderParts {
  readonly oidc: OidcConfig;
  readonly onJoined: (email: string, name: string, role: string) => Promise<void>;
}

/**
 * The library that keeps passwords, sign-ins and their cookies. Its functions are called by our own routes, which
 * bring their scope, origin check and limits; its HTTP handler is not mounted, and it makes no members by itself.
 */
export function signInLibrary({ pool, secret, baseUrl, provider, log }: SignInLibraryParts) {
  return betterAuth({
    appName: 'Tidemark',
    baseURL: baseUrl,
    basePath: LIBRARY_PATH,
    secret: createHmac('sha256', secret).update('member sign-ins').digest('base64url'),
    database: drizzleAdapter(drizzle({ client: pool }), {
      provider: 'pg',
      schema: { user: member, session: memberSession, account: memberAccount, verification: memberVerification },
    }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_CHARS_MIN,
      maxPasswordLength: PASSWORD_CHARS_MAX,
    },
    user: { additionalFields: { role: { type: 'string', input: false, required: false, defaultValue: 'viewer' } } },
    session: { expiresIn: SIGN_IN_S, updateAge: RENEWED_AFTER_S },
    account: { encryptOAuthTokens: true },
    advanced: {
      cookiePrefix: SIGN_IN_COOKIE_PREFIX,
      // Set on the way out, by how the request came in.
      useSecureCookies: false,
      database: { generateId: () => randomUUID() },
      ipAddress: { disableIpTracking: true },
    },
    plugins: provider === null ? [] : [pluginOf(provider.oidc)],
    databaseHooks: { user: { create: newcomersOf(provider) } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (level, message) => log(level === 'error' ? 'error' : 'warn', `sign-in: ${message}`),
    },
  });
}

/** Code flow with PKCE, state and nonce; who the provider says somebody is counts only in an ID token that its keys signed. */
function pluginOf({ name, issuer, clientId, clientSecret, scopes, newcomers }: OidcConfig) {
  return genericOAuth({
    config: [
      {
        providerId: PROVIDER_ID,
        name,
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        clientId,
        ...(clientSecret === null ? { tokenEndpointAuth: { method: 'none' } as const } : { clientSecret }),
        scopes: [...scopes],
        pkce: true,
        disableSignUp: newcomers === null,
        disableImplicitSignUp: newcomers === null,
      },
    ],
  });
}

/** Members that the provider brings: with the role of the configuration, and an address that it calls verified. */
function newcomersOf(provider: ProviderParts | null) {
  return {
    before: async (user: { readonly emailVerified: boolean }) => {
      const role = provider?.oidc.newcomers ?? null;
      return role === null || !user.emailVerified ? false : { data: { role } };
    },
    after: async ({ email, name }: { readonly email: string; readonly name: string }) => {
      const role = provider?.oidc.newcomers ?? null;
      if (provider !== null && role !== null) await provider.onJoined(email, name, role);
    },
  };
}

export type SignInLibrary = ReturnType<typeof signInLibrary>;

/** Whether a request carries the cookie of a sign-in, valid or not. */
export function hasSignInCookie({ headers }: IncomingMessage): boolean {
  return (headers.cookie ?? '').split(';').some((pair) => pair.trim().startsWith(`${COOKIE}=`));
}
