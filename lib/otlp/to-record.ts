import { createHash } from 'node:crypto';

/** A log record, span or span event with what is known of it. */
export interface Signal {
  /** Name of the event or span. */
  readonly name: string | undefined;
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly resource: ReadonlyMap<string, unknown>;
  /** Epoch milliseconds; absent when the signal does not say. */
  readonly at: number | undefined;
  /** What the record's id is made of unless an attribute gives one: the same when the export is sent again. */
  readonly idName: string;
}

const PREFIX = 'tidemark.';
/** Members that are objects: `tidemark.client.name` is the `name` of `client`. */
const NESTED: ReadonlySet<string> = new Set(['client', 'rpc', 'replayed', 'policy']);
/** Lists of ranges; span attributes cannot nest, so a flat list of even length is read as pairs. */
const RANGE_LISTS: ReadonlySet<string> = new Set(['holes', 'reused']);

/** Attributes of the semantic conventions that say what a member says, by record type; `tidemark.*` goes before them. */
const CONVENTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
const NODE_ATTRIBUTES = ['service.instance.id', 'k8s.pod.name', 'host.name'] as const;

/** The telemetry record that a signal carries, still to be validated; null when it carries none. */
export function recordOfSignal(signal: Signal): Record<string, unknown> | null {
  const { attributes, resource } = signal;
  const type = attributes.get(`${PREFIX}type`) ?? (signal.name?.startsWith(PREFIX) === true ? signal.name.slice(PREFIX.length) : undefined);
  if (type === undefined) return null;
  const members = new Map<string, unknown>([['id', uuidOf(signal.idName)]]);
  if (signal.at !== undefined) members.set('at', signal.at);
  addIfPresent(members, 'server', resource.get('service.name'));
  addIfPresent(
    members,
    'node',
    NODE_ATTRIBUTES.map((name) => resource.get(name)).find((value) => value !== undefined),
  );
  addIfPresent(members, 'session', attributes.get('mcp.session.id'));
  addIfPresent(members, 'protocol_version', attributes.get('mcp.protocol.version'));
  for (const [member, name] of Object.entries(CONVENTIONS[String(type)] ?? {})) {
    addMember(members, member, conventionValue(name, attributes.get(name)));
  }
  addOwn(members, resource);
  addOwn(members, attributes);
  members.set('type', type);
  return Object.fromEntries(members);
}

function addOwn(members: Map<string, unknown>, attributes: ReadonlyMap<string, unknown>): void {
  const nulls = attributes.get(`${PREFIX}null`);
  if (Array.isArray(nulls)) for (const name of nulls) members.set(String(name), null);
  for (const [key, value] of attributes) {
    if (key.startsWith(PREFIX) && key !== `${PREFIX}null`) addMember(members, key.slice(PREFIX.length), value);
  }
}

function addMember(members: Map<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) return;
  const [outer = '', inner] = name.split('.', 2);
  if (inner !== undefined && NESTED.has(outer)) {
    const object = members.get(outer);
    members.set(outer, { ...(typeof object === 'object' ? object : {}), [name.slice(outer.length + 1)]: value });
  } else members.set(name, RANGE_LISTS.has(name) ? pairsOf(value) : value);
}

function addIfPresent(members: Map<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) members.set(name, value);
}

/** The conventions write the JSON-RPC code as text, and OK for its absence. */
function conventionValue(name: string, value: unknown): unknown {
  if (name !== 'rpc.response.status_code' || typeof value !== 'string') return value;
  return /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function pairsOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length % 2 !== 0 || value.some((member) => typeof member === 'object')) return value;
  return Array.from({ length: value.length / 2 }, (_, i) => [value[2 * i], value[2 * i + 1]]);
}

/** A UUID of version 8 that is the same for the same name. */
function uuidOf(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(16), 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
