export const PREFIX = 'tidemark.';

/** Attributes of the semantic conventions that say what a member says, by record type; `tidemark.*` goes before them. */
export const CONVENTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  request: {
    'rpc.method': 'mcp.method.name',
    'rpc.id': 'jsonrpc.request.id',
    tool: 'gen_ai.tool.name',
    status: 'http.response.status_code',
    code: 'rpc.response.status_code',
  },
  open: {
    method: 'http.request.method',
    rpc_id: 'jsonrpc.request.id',
    status: 'http.response.status_code',
    code: 'rpc.response.status_code',
  },
  resume_attempt: { status: 'http.response.status_code', code: 'rpc.response.status_code' },
  emit: { 'rpc.method': 'mcp.method.name', 'rpc.id': 'jsonrpc.request.id' },
  client: { 'rpc.method': 'mcp.method.name', 'rpc.id': 'jsonrpc.request.id' },
};
export const NODE_ATTRIBUTES = ['service.instance.id', 'k8s.pod.name', 'host.name'] as const;
export const SERVER_ATTRIBUTE = 'service.name';
export const SESSION_ATTRIBUTE = 'mcp.session.id';
export const PROTOCOL_ATTRIBUTE = 'mcp.protocol.version';

const CONVENTIONAL: ReadonlySet<string> = new Set([
  ...Object.values(CONVENTIONS).flatMap((ofType) => Object.values(ofType)),
  ...NODE_ATTRIBUTES,
  SERVER_ATTRIBUTE,
  SESSION_ATTRIBUTE,
  PROTOCOL_ATTRIBUTE,
]);

/** Whether a record takes anything from the attribute of this name; of all others nothing is kept. */
export const isMemberName = (key: string): boolean => key.startsWith(PREFIX) || CONVENTIONAL.has(key);
