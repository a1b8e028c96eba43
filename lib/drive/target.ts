import { err, ok, type Result } from '@/lib/base/result';
import { isLoopback } from '@/lib/config/loopback';

/**
 * Reads the address that recorded traffic is to be driven against. This machine's own servers are always allowed;
 * any other must be named as an origin, since a replay opens sessions and holds connections.
 */
export function readTarget(text: string, allowed: readonly string[]): Result<URL, string> {
  if (!URL.canParse(text)) return err(`${text.slice(0, 200)} is not an address`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err('the target must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') return err('the target must not carry a user or password; send a header instead');
  if (isLoopback(url.hostname)) return ok(url);
  const origins = allowed.map((origin) => (URL.canParse(origin) ? new URL(origin).origin : ''));
  return origins.includes(url.origin) ? ok(url) : err(`${url.origin} is not allowed: name it with --allow ${url.origin}`);
}
