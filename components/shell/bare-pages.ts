/** Pages for people who did not sign in: no navigation, no live connection, nothing that asks for what they may not see. */
const BARE = /^\/(?:sign-in|join|shared\/[^/]+)$/;

export function isBarePage(pathname: string): boolean {
  return BARE.test(pathname);
}
