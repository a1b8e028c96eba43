import type { RpcId } from '../ledger/stream-call.js';
import type { ClientFacts, RpcFacts } from './record.js';

const NAME_LENGTH_MAX = 256;

/** What a JSON-RPC request asks for, without its parameters. */
export interface RequestFacts {
  readonly rpc: RpcFacts;
  readonly isInitialize: boolean;
  readonly tool: string | undefined;
  /** The tool's arguments, only to be hashed. */
  readonly args: unknown;
  readonly client: ClientFacts | undefined;
  readonly protocolVersion: string | undefined;
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= NAME_LENGTH_MAX ? value : undefined;
const asId = (value: unknown): string | number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= NAME_LENGTH_MAX) ? value : undefined;

/** What a JSON-RPC message is. An empty object is the SDK's priming event and has no facts. */
export function rpcFacts(message: unknown): RpcFacts {
  const { method, id, params, error, result } = asObject(message);
  const { progressToken, _meta } = asObject(params);
  const token = asId(progressToken) ?? asId(asObject(_meta)['progressToken']);
  const rpcId = asId(id);
  const name = asText(method);
  const type =
    name !== undefined
      ? rpcId === undefined
        ? 'notification'
        : 'request'
      : error !== undefined
        ? 'error'
        : result !== undefined
          ? 'response'
          : undefined;
  return {
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { method: name }),
    ...(rpcId === undefined ? {} : { id: rpcId }),
    ...(token === undefined ? {} : { progress_token: token }),
  };
}

/** Reads a POST body; of a batch the first request speaks for all. Null when it holds no JSON-RPC message. */
export function requestFacts(body: unknown): RequestFacts | null {
  const messages = (Array.isArray(body) ? body : [body]).map(asObject);
  const message = messages.find((member) => asText(member['method']) !== undefined) ?? messages[0];
  if (message === undefined || message['jsonrpc'] !== '2.0') return null;
  const params = asObject(message['params']);
  const isInitialize = message['method'] === 'initialize';
  const { name, version } = asObject(params['clientInfo']);
  const client = { ...textMember('name', name), ...textMember('version', version) };
  const isTool = message['method'] === 'tools/call';
  return {
    rpc: rpcFacts(message),
    isInitialize,
    tool: isTool ? asText(params['name']) : undefined,
    args: isTool ? params['arguments'] : undefined,
    client: isInitialize && Object.keys(client).length > 0 ? client : undefined,
    protocolVersion: isInitialize ? asText(params['protocolVersion']) : undefined,
  };
}

/** The id of the one request in a POST body; null where it holds none, or several. */
export function soleRequestId(body: unknown): RpcId | null {
  const messages = (Array.isArray(body) ? body : [body]).map(asObject);
  const ids = messages.flatMap(({ method, id }) => (typeof method === 'string' ? (isRpcId(id) ? [id] : []) : []));
  return ids.length === 1 ? (ids[0] ?? null) : null;
}

const isRpcId = (id: unknown): id is RpcId => typeof id === 'string' || typeof id === 'number';

/** The error code of a JSON-RPC error response; null for anything else. */
export function errorCode(body: unknown): number | null {
  const { code } = asObject(asObject(body)['error']);
  return typeof code === 'number' && Number.isInteger(code) ? code : null;
}

function textMember<K extends string>(name: K, value: unknown): Partial<Record<K, string>> {
  const text = asText(value);
  return text === undefined ? {} : ({ [name]: text } as Record<K, string>);
}
