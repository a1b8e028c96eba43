import { hasResumption } from '@/lib/resume/protocol-era';
import { pendingText } from '@/lib/session-log/pending-ids';

/** Messages of one body that are told of; those after them go on all the same. */
export const MESSAGES_MAX = 256;

/** Blocks beyond this many bytes are taken for no answer without being looked into. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** What is learnt from one message of a POST body and kept after the body itself is gone. */
export interface RpcSummary {
  readonly type: 'request' | 'response' | 'notification' | 'error';
  readonly method: string | null;
  /** JSON text of the id (`1` and `"1"` differ); null when there is none. */
  readonly id: string | null;
  readonly tool: string | null;
  /** JSON text of a tool call's arguments, to be digested at once and dropped; null too where the body was only scanned. */
  readonly args: string | null;
  /** Protocol revision of the per-request envelope; null without one. */
  readonly envelopeVersion: string | null;
}

/** Members of a message that a summary is made of; `tool` is `params.name`, `version` that of `params._meta`. */
export type MessageMember = 'id' | 'method' | 'error' | 'tool' | 'version';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a whole JSON-RPC body: its message, or those of a batch. None for what is not one. */
export function summarizeRpc(body: Buffer): readonly RpcSummary[] {
  if (body.length === 0) return [];
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value.slice(0, MESSAGES_MAX) : [value]).filter(isObject).map(summarize);
}

function summarize(message: Json): RpcSummary {
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const members = new Map<MessageMember, unknown>();
  for (const name of ['id', 'method', 'error'] as const) if (name in message) members.set(name, message[name]);
  members.set('tool', params['name']).set('version', meta[VERSION_KEY]);
  const summary = summarizeMembers(members);
  return summary.method === 'tools/call' ? { ...summary, args: JSON.stringify(params['arguments'] ?? {}) } : summary;
}

export function summarizeMembers(members: ReadonlyMap<MessageMember, unknown>): RpcSummary {
  const text = (member: MessageMember): string | null => {
    const value = members.get(member);
    return typeof value === 'string' ? value : null;
  };
  const id = members.get('id');
  const method = text('method');
  return {
    type: typeOf(members, method),
    method,
    id: typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : null,
    tool: method === 'tools/call' ? text('tool') : null,
    args: null,
    envelopeVersion: text('version'),
  };
}

function typeOf(members: ReadonlyMap<MessageMember, unknown>, method: string | null): RpcSummary['type'] {
  if (method !== null) return members.has('id') ? 'request' : 'notification';
  return members.has('error') ? 'error' : 'response';
}

/** The requests that wait for an answer, as `pendingText` puts them. */
export const pendingIdOf = (messages: readonly RpcSummary[]): string | null =>
  pendingText(messages.flatMap(({ type, id }) => (type === 'request' && id !== null ? [id] : [])));

/** Whether a request belongs to the revisions without sessions and resumption (2026-07-28 and later). */
export function isModernEra(headerVersion: string | null, messages: readonly RpcSummary[]): boolean {
  return !hasResumption(headerVersion) || messages.some(({ envelopeVersion }) => !hasResumption(envelopeVersion));
}

const METHOD_MEMBER = '"method"';

/**
 * Which of the given ids an event's block answers: by a JSON-RPC result or error under that id. The search for a `method`
 * member spares the parse for notifications, which most events are.
 */
export function answeredIn(block: Buffer, ids: readonly string[]): readonly string[] {
  if (block.length > ANSWER_BYTES_MAX) return [];
  if (block.length < 4096 && block.includes(METHOD_MEMBER, 0, 'latin1')) {
    if (!block.includes('"result"', 0, 'latin1') && !block.includes('"error"', 0, 'latin1')) return [];
  }
  try {
    const value: unknown = JSON.parse(dataOf(block));
    const answered = (Array.isArray(value) ? value : [value]).flatMap((message: unknown) =>
      isObject(message) && !('method' in message) && ('result' in message || 'error' in message) ? [JSON.stringify(message['id'])] : [],
    );
    return ids.filter((id) => answered.includes(id));
  } catch {
    return [];
  }
}

function dataOf(block: Buffer): string {
  const lines: string[] = [];
  for (const line of block.toString('utf8').split(/\r\n|\r|\n/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return lines.join('\n');
}
