import { createHash } from 'node:crypto';
import type { Attributes } from '@/lib/otlp/attributes';
import { CONVENTIONS, NODE_ATTRIBUTES, PREFIX, PROTOCOL_ATTRIBUTE, SERVER_ATTRIBUTE, SESSION_ATTRIBUTE } from '@/lib/otlp/member-names';

/** A log record, span or span event with what is known of it. */
export interface Signal {
  /** Name of the event or span. */
  readonly name: string | undefined;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** Epoch milliseconds; absent when the signal does not say. */
  readonly at: number | undefined;
  /** What the record's id is made of unless an attribute gives one: the same when the export is sent again. */
  readonly idName: string;
}

/** Members that are objects: `tidemark.client.name` is the `name` of `client`. */
const NESTED: ReadonlySet<string> = new Set(['client', 'rpc', 'replayed', 'policy']);
/** Lists of ranges; span attributes cannot nest, so a flat list of even length is read as pairs. */
const RANGE_LISTS: ReadonlySet<string> = new Set(['holes', 'reused']);

/** The telemetry record that a signal carries, still to be validated; null when it carries none. */
export function recordOfSignal(signal: Signal): Record<string, unknown> | null {
  const { values: attributes } = signal.attributes;
  const { values: resource } = signal.resource;
  const type = attributes.get(`${PREFIX}type`) ?? (signal.name?.startsWith(PREFIX) === true ? signal.name.slice(PREFIX.length) : undefined);
  if (type === undefined) return null;
  const members = new Map<string, unknown>([['id', uuidOf(signal.idName)]]);
  if (signal.at !== undefined) members.set('at', signal.at);
  addIfPresent(members, 'server', resource.get(SERVER_ATTRIBUTE));
  addIfPresent(
    members,
    'node',
    NODE_ATTRIBUTES.map((name) => resource.get(name)).find((value) => value !== undefined),
  );
  addIfPresent(members, 'session', attributes.get(SESSION_ATTRIBUTE));
  addIfPresent(members, 'protocol_version', attributes.get(PROTOCOL_ATTRIBUTE));
  for (const [member, name] of Object.entries(CONVENTIONS[String(type)] ?? {})) {
    addMember(members, member, conventionValue(name, attributes.get(name)));
  }
  addOwn(members, resource);
  addOwn(members, attributes);
  members.set('type', type);
  return plainObject(members);
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
    innerOf(members, outer).set(name.slice(outer.length + 1), value);
  } else members.set(name, RANGE_LISTS.has(name) ? pairsOf(value) : value);
}

/** The members of a member that is an object; a map while it is put together, since attributes may share what they were given as. */
function innerOf(members: Map<string, unknown>, outer: string): Map<string, unknown> {
  const object = members.get(outer);
  if (object instanceof Map) return object;
  const inner = new Map<string, unknown>(object !== null && typeof object === 'object' ? Object.entries(object) : []);
  members.set(outer, inner);
  return inner;
}

function plainObject(members: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...members].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]));
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
