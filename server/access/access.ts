import type { IncomingMessage } from 'node:http';
import type { DatabaseAddress, Sql } from '@/db/connect';
import { openPool, type Transactions } from '@/db/transactions';
import { roleOf } from '@/lib/access/roles';
import type { OidcConfig } from '@/lib/config/config';
import { Loop } from '@/lib/delivery/loop';
import type { SignedIn } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import { LinkHasher, newLinkToken } from '@/lib/http/link-token';
import { logChangeAlone } from '@/lib/store/change-log';
import { InvitationStore } from '@/lib/store/invitations';
import { MemberStore } from '@/lib/store/members';
import { ShareLinkStore } from '@/lib/store/share-links';
import { SignInTries } from '@/lib/store/sign-in-tries';
import { type SignInLibrary, signInLibrary } from '@/server/access/sign-in-library';

export interface AccessParts {
  readonly database: DatabaseAddress;
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly secret: Uint8Array;
  readonly auth: 'on' | 'off';
  /** Where people reach the product, without a slash at its end. */
  readonly baseUrl: string;
  /** Null: by password only. */
  readonly oidc: OidcConfig | null;
  readonly now: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Who may use the product: members, their sign-ins, and the links that make them. */
export interface Access extends Pick<AccessParts, 'auth' | 'baseUrl' | 'oidc' | 'now' | 'sql'> {
  readonly library: SignInLibrary;
  /** The same with the OpenID provider of the configuration; null without one. */
  readonly providerLibrary: () => SignInLibrary | null;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly tries: SignInTries;
  readonly shares: ShareLinkStore;
  readonly hasher: LinkHasher;
  /** Whose sign-in the cookie of a request is; null when it is over. */
  readonly memberOf: (request: IncomingMessage) => Promise<SignedIn | null>;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 2;
/** Every request of a member waits for a statement of this pool. */
const ANSWER_MS_MAX = 10_000;
const FIRST_LINK_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;

/** Opens sign-in. Where nobody is a member yet, the link of the first administrator is printed, each start a new one. */
export async function openAccess({ database, transactions, secret, log, ...parts }: AccessParts): Promise<Access> {
  const { sql, auth, baseUrl, oidc, now } = parts;
  const pool = openPool(database, CONNECTIONS, 'sign-in', ANSWER_MS_MAX);
  const common = { pool, secret, baseUrl, log };
  const library = signInLibrary({ ...common, provider: null });
  const onJoined = async (email: string, name: string, role: string) => {
    const after = { name, email, role, provider: oidc?.name };
    await logChangeAlone(sql, { atMs: now(), actor: email, action: 'member.joined', subject: email, before: null, after });
  };
  // Of its own, and not before somebody asks for it: a provider that is down keeps nobody from signing in by password.
  let withProvider: SignInLibrary | null = null;
  const providerLibrary = (): SignInLibrary | null => {
    if (oidc !== null) withProvider ??= signInLibrary({ ...common, provider: { oidc, onJoined } });
    return withProvider;
  };
  const hasher = new LinkHasher(secret);
  const invitations = new InvitationStore(sql, transactions);
  const tries = new SignInTries(sql);
  if (auth === 'on') {
    const token = newLinkToken('tdi');
    if (await invitations.createFirst(hasher.hashOf('tdi', token) ?? '', now() + FIRST_LINK_MS, now()))
      log('info', `there is no administrator yet: who opens ${baseUrl}/join#${token} within 24 hours becomes the first administrator`);
  }
  const sweep = new Loop({
    run: () => tries.sweep(now()),
    intervalMs: SWEEP_EVERY_MS,
    spacingMs: SWEEP_EVERY_MS,
    onError: (cause) => log('warn', 'sign-ins that are over could not be removed yet', { cause }),
  });
  return {
    ...parts,
    library,
    providerLibrary,
    members: new MemberStore(transactions),
    invitations,
    tries,
    shares: new ShareLinkStore(sql, transactions),
    hasher,
    memberOf: (request) => memberOf(library, request),
    close: async () => {
      await sweep.close();
      await pool.end();
    },
  };
}

async function memberOf({ api }: SignInLibrary, { headers }: IncomingMessage): Promise<SignedIn | null> {
  const found = await api
    .getSession({ headers: new Headers({ cookie: headers.cookie ?? '' }), query: { disableRefresh: true } })
    .catch((cause: unknown) => {
      throw new HttpError('database_unavailable', 'sign-ins cannot be looked up', { cause });
    });
  if (found === null) return null;
  const { id, name, email, role: text } = found.user;
  const role = roleOf(text);
  return role === null ? null : { id, name, email, role };
}
