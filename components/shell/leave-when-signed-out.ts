import { ApiFailure } from '@/components/api/api-failure';
import { isBarePage } from '@/components/shell/bare-pages';
import { signInHref } from '@/components/shell/sign-in-href';

/** Leads to the sign-in, with the way back, when an answer says that the sign-in is over. */
export function leaveWhenSignedOut(cause: unknown): void {
  const isOver = cause instanceof ApiFailure && (cause.code === 'session_over' || cause.code === 'key_missing');
  if (isOver && !isBarePage(location.pathname)) location.assign(signInHref(`${location.pathname}${location.search}${location.hash}`));
}
