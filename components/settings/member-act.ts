import type { Role } from '@/lib/access/roles';

/** What is done with a member. */
export type MemberAct = { readonly does: 'role'; readonly role: Role } | { readonly does: 'remove' | 'sign-out' | 'reset' };
