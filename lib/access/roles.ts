/** What a member may do: look, work with what is there, or change the installation and its members. Each includes the one before. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The scope that a role stands for, in the words of routes and keys. */
export const SCOPE_OF_ROLE = { viewer: 'read', operator: 'operate', admin: 'admin' } as const satisfies Record<Role, string>;

/** The role that a text names; null where it names none, which then grants nothing. */
export function roleOf(text: unknown): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}
