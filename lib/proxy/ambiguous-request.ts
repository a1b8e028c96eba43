import { connectionNames } from '@/lib/proxy/headers';

/** Headers that are decided by here: where they come twice, the upstream may go by the other one. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-length',
  'transfer-encoding',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
]);
const CONNECTION = 'connection';
const LOOKED_AT_LENGTHS: ReadonlySet<number> = new Set([...SINGLE, CONNECTION].map((name) => name.length));

/**
 * Headers that belong to no single hop: they frame the body, say who asks, from where and for what. One that `Connection` names would be
 * judged by here and be kept from the upstream (RFC 9110, section 7.6.1, lets no sender name such a one).
 */
const END_TO_END: ReadonlySet<string> = new Set([
  ...SINGLE,
  'cookie',
  'accept',
  'referer',
  'forwarded',
  'via',
  'x-real-ip',
  'cache-control',
]);
const END_TO_END_KINDS = /^(?:content-|mcp-|sec-|x-forwarded-|tidemark-)/;

export interface Ambiguity {
  readonly message: string;
  readonly nextStep: string;
}

/** What of a request the upstream might read otherwise than it is read here; null where there is nothing. */
export function ambiguityOf(raw: readonly string[], credentialHeaders: readonly string[]): Ambiguity | null {
  let seen: Set<string> | null = null;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (!LOOKED_AT_LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    if (!SINGLE.has(lower)) continue;
    seen ??= new Set();
    if (seen.has(lower)) return { message: `the header ${lower} came twice`, nextStep: 'send it once' };
    seen.add(lower);
    if (lower === 'transfer-encoding' && raw[i + 1]?.trim().toLowerCase() !== 'chunked') return ENCODED;
  }
  if (seen?.has('transfer-encoding') === true && seen.has('content-length')) return FRAMED_TWICE;
  return hiddenHeader(raw, credentialHeaders);
}

/** Chunks are undone here and made anew; what lies under them would lose its name on the way. */
const ENCODED: Ambiguity = {
  message: 'the body has a transfer encoding other than chunked',
  nextStep: 'send it plain, in chunks or with its length',
};
const FRAMED_TWICE: Ambiguity = { message: 'the body has a length and chunks', nextStep: 'send one of them' };

function hiddenHeader(raw: readonly string[], credentialHeaders: readonly string[]): Ambiguity | null {
  const named = connectionNames(raw);
  if (named === null) return null;
  const credentials = credentialHeaders.map((name) => name.split(':', 1)[0]);
  for (const name of named) {
    if (END_TO_END.has(name) || END_TO_END_KINDS.test(name) || credentials.includes(name)) {
      return { message: `Connection names ${name}, which is meant for the upstream`, nextStep: 'name headers of this hop only' };
    }
  }
  return null;
}
