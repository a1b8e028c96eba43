import type { AuditState } from '@/lib/audit/model/state';

const VERSION = 3;

/**
 * Writes the state down with its shared parts kept shared: every object is numbered where it is first met and
 * named by its number afterwards. Maps, sets and big integers are tagged.
 */
export function snapshotState(state: AuditState): string {
  const seen = new Map<object, number>();
  return JSON.stringify({ tidemark_audit: VERSION, state: write(state, seen) });
}

function write(value: unknown, seen: Map<object, number>): unknown {
  if (typeof value === 'bigint') return ['n', value.toString()];
  if (value === null || typeof value !== 'object') return value === undefined ? ['u'] : value;
  const known = seen.get(value);
  if (known !== undefined) return ['r', known];
  seen.set(value, seen.size);
  if (Array.isArray(value)) return ['a', ...value.map((member) => write(member, seen))];
  if (value instanceof Map) return ['m', ...[...value].map(([key, member]) => [write(key, seen), write(member, seen)])];
  if (value instanceof Set) return ['s', ...[...value].map((member) => write(member, seen))];
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, write(member, seen)]));
}

/**
 * Reads a state back.
 *
 * @throws SyntaxError when the text is no snapshot of this version.
 */
export function restoreState(text: string): AuditState {
  const parsed: unknown = JSON.parse(text);
  if (!isSnapshot(parsed)) throw new SyntaxError(`not an audit snapshot of version ${VERSION}`);
  return read(parsed.state, []) as AuditState;
}

function isSnapshot(value: unknown): value is { state: unknown } {
  return value !== null && typeof value === 'object' && 'state' in value && 'tidemark_audit' in value && value.tidemark_audit === VERSION;
}

function read(value: unknown, seen: object[]): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) {
    const target: Record<string, unknown> = {};
    seen.push(target);
    for (const [key, member] of Object.entries(value)) target[key] = read(member, seen);
    return target;
  }
  const [tag, ...members] = value;
  if (tag === 'n') return BigInt(String(members[0]));
  if (tag === 'u') return undefined;
  if (tag === 'r') return seen[Number(members[0])];
  return readCollection(tag, members, seen);
}

function readCollection(tag: unknown, members: readonly unknown[], seen: object[]): unknown {
  if (tag === 'm') {
    const map = new Map<unknown, unknown>();
    seen.push(map);
    for (const member of members) if (Array.isArray(member)) map.set(read(member[0], seen), read(member[1], seen));
    return map;
  }
  if (tag === 's') {
    const set = new Set<unknown>();
    seen.push(set);
    for (const member of members) set.add(read(member, seen));
    return set;
  }
  const list: unknown[] = [];
  seen.push(list);
  for (const member of members) list.push(read(member, seen));
  return list;
}
