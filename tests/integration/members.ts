import type { DatabaseAddress } from '@/db/connect';
import type { Role } from '@/lib/access/roles';
import type { ServicesConfig, ServicesDeps } from '@/server/services';
import { call, type Reply } from './api-client';
import { type Edge, startEdge } from './edge';

export const PASSWORD = 'correct horse battery staple';

/** An edge that asks people to sign in, and the link of its first administrator, where it printed one. */
export interface GuardedEdge extends Edge {
  readonly firstLink: () => string;
}

export async function startGuardedEdge(
  database: DatabaseAddress,
  deps: Partial<ServicesDeps> = {},
  config: Partial<ServicesConfig> = {},
): Promise<GuardedEdge> {
  const lines: string[] = [];
  const edge = await startEdge(database, { log: (_level, message) => lines.push(message), ...deps }, { auth: 'on', ...config });
  const firstLink = () => lines.flatMap((line) => /\/join#(tdi_\S+)/.exec(line)?.[1] ?? []).at(-1) ?? '';
  return { ...edge, firstLink };
}

/** Somebody's browser, as far as the server can tell: it keeps the cookie and names the origin of its page. */
export class Visitor {
  cookie: string | null = null;
  readonly #edge: Pick<Edge, 'base'>;

  constructor(edge: Pick<Edge, 'base'>) {
    this.#edge = edge;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const reply = await call(`${this.#edge.base}${path}`, {
      method,
      headers: {
        origin: this.#edge.base,
        ...(this.cookie === null ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of reply.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0] ?? '';
      if (pair.startsWith('tidemark.session_token=')) this.cookie = /max-age=0/i.test(line) ? null : pair;
    }
    return reply;
  }

  signIn(email: string, password = PASSWORD): Promise<Reply> {
    return this.send('POST', '/api/v1/sign-in', { email, password });
  }

  join(token: string, email: string, password = PASSWORD): Promise<Reply> {
    return this.send('POST', '/api/v1/join', { token, name: email.split('@')[0], email, password });
  }

  /** The token of a link that this visitor makes. */
  async invite(role: Role, email?: string): Promise<string> {
    const { body } = await this.send('POST', '/api/v1/invitations', { role, ...(email === undefined ? {} : { email }) });
    return tokenOf(body['path']);
  }
}

export const tokenOf = (path: unknown): string => String(path).split('#')[1] ?? '';

/** Another member, signed in. */
export async function memberOf(edge: Edge, admin: Visitor, role: Role, email: string): Promise<Visitor> {
  const visitor = new Visitor(edge);
  await visitor.join(await admin.invite(role), email);
  return visitor;
}
