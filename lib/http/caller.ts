import type { IncomingMessage } from 'node:http';
import type { Role } from '@/lib/access/roles';
import { HttpError } from '@/lib/http/http-error';

/**
 * What a caller may do. `operate` includes `read`, `admin` includes everything; `ingest` sends telemetry and reads
 * nothing, so that a key on every server gives nothing away.
 */
export const SCOPES = ['ingest', 'read', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a route asks for; `none` lets anybody call it. */
export type RouteScope = Scope | 'none';

/** A person who signed in. */
export interface SignedIn {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

/** Who makes a request, by the name that the change log keeps: a key's label, or a member's e-mail address. */
export interface Caller {
  /** Tells callers apart: names may be alike, those of keys of different projects above all. */
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Id of the project of a key: of whose servers it may send telemetry. Null for who has no key, and so may of any. */
  readonly project: number | null;
  /** Absent for a key and for this machine's own programs. */
  readonly member?: SignedIn;
}

/** The caller of a server that asks for no key: this machine's own programs and pages. */
export const LOCAL_CALLER: Caller = { id: 'local', name: 'local', scopes: new Set(['admin']), project: null };
/** A caller who was asked for nothing. */
export const ANYONE: Caller = { id: 'anyone', name: 'anyone', scopes: new Set(), project: null };

/** Tells who makes a request, or throws a coded refusal. Told the scope, since who needs none need not say who they are. */
export type Guard = (request: IncomingMessage, scope: RouteScope) => Caller | Promise<Caller>;

const GRANTED_BY: Readonly<Record<Scope, readonly Scope[]>> = {
  ingest: ['ingest', 'admin'],
  read: ['read', 'operate', 'admin'],
  operate: ['operate', 'admin'],
  admin: ['admin'],
};

/** @throws HttpError `scope_missing` when the caller may not do what the scope stands for */
export function requireScope(caller: Caller, scope: RouteScope): void {
  if (scope === 'none' || GRANTED_BY[scope].some((granting) => caller.scopes.has(granting))) return;
  throw new HttpError('scope_missing', `this needs the scope ${scope}, which ${caller.name} does not have`);
}

/** Who does something that may be done in another's name: a member speaks for themselves only, a key for whom it names. */
export function nameFor(caller: Caller, claimed: string | undefined): string {
  return caller.member === undefined ? (claimed ?? caller.name) : caller.name;
}
