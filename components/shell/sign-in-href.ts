/** The address of the sign-in that leads back to `path`. */
export function signInHref(path: string): string {
  return path === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(path)}`;
}
