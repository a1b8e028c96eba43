import { hasResumption } from '@/lib/resume/protocol-era';

/** Bodies beyond this many bytes are forwarded without being looked into. */
export const INSPECTED_BODY_BYTES_MAX = 1024 * 1024;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** What is learnt from a POST body and kept after the body itself is gone. */
export interface RpcSummary {
  readonly type: 'request' | 'response' | 'notification' | 'error';
  readonly method: string | null;
  /** JSON text of the id (`1` and `"1"` differ); null when there is none. */
  readonly id: string | null;
  readonly tool: string | null;
  /** JSON text of a tool call's arguments, to be digested at once and dropped. */
  readonly args: string | null;
  /** Protocol revision of the per-request envelope; null without one. */
  readonly envelopeVersion: string | null;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a JSON-RPC body. Null for what is not one, for what is too large to look into, and for a batch with
 * other than one request, whose stream answers no single call.
 */
export function summarizeRpc(body: Buffer): RpcSummary | null {
  if (body.length === 0 || body.length > INSPECTED_BODY_BYTES_MAX) return null;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  if (Array.isArray(value)) {
    const requests = value.filter((message) => isObject(message) && 'method' in message && 'id' in message);
    return requests.length === 1 ? summarize(requests[0]) : null;
  }
  return summarize(value);
}

function summarize(message: unknown): RpcSummary | null {
  if (!isObject(message)) return null;
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const method = typeof message['method'] === 'string' ? message['method'] : null;
  const id = message['id'];
  return {
    type: typeOf(message, method, id),
    method,
    id: typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : null,
    tool: method === 'tools/call' && typeof params['name'] === 'string' ? params['name'] : null,
    args: method === 'tools/call' ? JSON.stringify(params['arguments'] ?? {}) : null,
    envelopeVersion: typeof meta[VERSION_KEY] === 'string' ? meta[VERSION_KEY] : null,
  };
}

function typeOf(message: Json, method: string | null, id: unknown): RpcSummary['type'] {
  if (method !== null) return id === undefined ? 'notification' : 'request';
  return 'error' in message ? 'error' : 'response';
}

/** Whether a request belongs to the revisions without sessions and resumption (2026-07-28 and later). */
export function isModernEra(headerVersion: string | null, rpc: RpcSummary | null): boolean {
  return !hasResumption(headerVersion) || !hasResumption(rpc?.envelopeVersion ?? null);
}

const METHOD_MEMBER = '"method"';

/**
 * Whether an event's block answers the request with the given id: a JSON-RPC result or error under that id.
 * The search for a `method` member spares the parse for notifications, which most events are.
 */
export function isAnswerTo(block: Buffer, requestId: string): boolean {
  if (block.length > INSPECTED_BODY_BYTES_MAX * 16) return false;
  if (block.length < 4096 && block.includes(METHOD_MEMBER, 0, 'latin1')) {
    if (!block.includes('"result"', 0, 'latin1') && !block.includes('"error"', 0, 'latin1')) return false;
  }
  const data = dataOf(block);
  try {
    const value: unknown = JSON.parse(data);
    const messages = Array.isArray(value) ? value : [value];
    return messages.some(
      (message) =>
        isObject(message) &&
        !('method' in message) &&
        ('result' in message || 'error' in message) &&
        JSON.stringify(message['id']) === requestId,
    );
  } catch {
    return false;
  }
}

function dataOf(block: Buffer): string {
  const lines: string[] = [];
  for (const line of block.toString('utf8').split(/\r\n|\r|\n/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return lines.join('\n');
}
