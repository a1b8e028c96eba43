import type { IncomingMessage } from 'node:http';
import { SCOPE_OF_ROLE } from '@/lib/access/roles';
import { ANYONE, type Caller, type Guard, type SignedIn } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import { needsOwnOrigin, requireOwnOrigin } from '@/lib/http/own-origin';

export interface MemberGuardParts {
  /** Asked when the request has a key or no cookie. */
  readonly byKey: Guard;
  /** Whether the request carries the cookie of a sign-in, valid or not. */
  readonly hasCookie: (request: IncomingMessage) => boolean;
  /** Whose sign-in the cookie is; null when it is over. */
  readonly memberOf: (request: IncomingMessage) => Promise<SignedIn | null>;
  readonly publicOrigin: string | null;
}

/**
 * Lets members in by the cookie of their sign-in, and everything else by a key. A cookie comes along whoever made the
 * browser send the request, so what changes something must name our own origin.
 *
 * @throws HttpError `cross_origin`, `session_over`, and those of `byKey`
 */
export function guardByMemberOrKey({ byKey, hasCookie, memberOf, publicOrigin }: MemberGuardParts): Guard {
  return async (request, scope) => {
    if (scope === 'none') return ANYONE;
    if (request.headers.authorization !== undefined || !hasCookie(request)) return byKey(request, scope);
    if (needsOwnOrigin(request)) requireOwnOrigin(request, publicOrigin);
    const member = await memberOf(request);
    if (member === null) throw new HttpError('session_over', 'the sign-in has ended');
    return callerOf(member);
  };
}

/** A member as the one who makes a request. */
function callerOf(member: SignedIn): Caller {
  return { id: `member ${member.id}`, name: member.email, scopes: new Set([SCOPE_OF_ROLE[member.role]]), project: null, member };
}
