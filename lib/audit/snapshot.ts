import type { AuditState } from '@/lib/audit/model/state';

/** Since 3 it is known what was kept back; a state of which nothing was kept back is written as 2, which older readers know. */
const VERSION = 3;
const BEFORE_KEPT_BACK = 2;

/** Members that a state of version 2 lacks, by one that tells what the object is, with what they are when nothing was kept back. */
const ADDED = [
  { of: 'silentLifetimes', members: { isKeptBack: false, hasUnseen: false, hasUnseenEarlier: false } },
  { of: 'reportedHead', members: { toldFrom: 0n } },
] as const;

/**
 * Writes the state down with its shared parts kept shared: every object is numbered where it is first met and
 * named by its number afterwards. Maps, sets and big integers are tagged.
 */
export function snapshotState(state: AuditState): string {
  const seen = new Map<object, number>();
  const written = write(state, seen);
  const isToldInPart = [...seen.keys()].some(knowsOfKeptBack);
  return JSON.stringify({ tidemark_audit: isToldInPart ? VERSION : BEFORE_KEPT_BACK, state: written });
}

function knowsOfKeptBack(object: object): boolean {
  for (const { of, members } of ADDED) {
    if (Object.hasOwn(object, of)) return Object.entries(members).some(([name, none]) => Reflect.get(object, name) !== none);
  }
  return false;
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
 * Reads a state back, also one of version 2: nothing was kept back of what it knows.
 *
 * @throws SyntaxError when the text is no snapshot of a version that is known, or is damaged.
 */
export function restoreState(text: string): AuditState {
  const parsed: unknown = JSON.parse(text);
  if (!isSnapshot(parsed)) throw new SyntaxError(`not an audit snapshot of version ${BEFORE_KEPT_BACK} or ${VERSION}`);
  const seen: object[] = [];
  const state = read(parsed.state, seen);
  if (!isState(state)) throw new SyntaxError('a damaged audit snapshot');
  for (const object of seen) complete(object);
  return state;
}

/** Gives an object the members that it lacks; a process of version 2 may have added it to a state of version 3. */
function complete(object: object): void {
  for (const { of, members } of ADDED) {
    if (Object.hasOwn(object, of)) Object.assign(object, { ...members, ...object });
  }
}

function isState(value: unknown): value is AuditState {
  if (value === null || typeof value !== 'object') return false;
  const { servers, findings, made, growing, attempts, lastIndex } = value as Partial<AuditState>;
  const areMaps = [servers, findings, growing].every((member) => member instanceof Map);
  return areMaps && Array.isArray(attempts) && typeof made === 'number' && typeof lastIndex === 'number';
}

function isSnapshot(value: unknown): value is { state: unknown } {
  if (value === null || typeof value !== 'object' || !('state' in value) || !('tidemark_audit' in value)) return false;
  return value.tidemark_audit === VERSION || value.tidemark_audit === BEFORE_KEPT_BACK;
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
