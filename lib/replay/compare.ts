import { foldTimeline } from '@/lib/replay/fold-timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

/** Where two histories part: the places in each, and the first member that differs. */
export interface Divergence {
  readonly indexA: number;
  readonly indexB: number;
  /** Path of the member, such as `verdict` or `state.floor`; `length` when one history ends first. */
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

export interface Comparison {
  /** Steps that were alike from the aligned ones on. */
  readonly alike: number;
  /** Null when neither history departs from the other. */
  readonly divergence: Divergence | null;
}

/** What names an instance of a run, or says how it was told, and not its course. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'at',
  'session',
  'node',
  'server',
  'latency_ms',
  'digest',
  'digests',
  'args_digest',
  'client',
  'withheld_before',
  'withheld_after',
]);

/**
 * Compares two histories step by step, from one aligned step in each on: two sessions, two runs, before and after a
 * deploy. Instants, names of sessions, nodes and servers do not count; connections count by order of appearance.
 */
export function compareHistories(
  a: readonly TelemetryRecord[],
  b: readonly TelemetryRecord[],
  align: { readonly a: number; readonly b: number } = { a: 0, b: 0 },
): Comparison {
  const stepsA = comparable(a);
  const stepsB = comparable(b);
  const length = Math.min(stepsA.length - align.a, stepsB.length - align.b);
  for (let alike = 0; alike < length; alike++) {
    const found = firstDifference(stepsA[align.a + alike], stepsB[align.b + alike], '');
    if (found !== null) return { alike, divergence: { indexA: align.a + alike, indexB: align.b + alike, ...found } };
  }
  const alike = Math.max(length, 0);
  if (stepsA.length - align.a === stepsB.length - align.b) return { alike, divergence: null };
  const ends = { indexA: align.a + alike, indexB: align.b + alike, path: 'length', a: stepsA.length - align.a, b: stepsB.length - align.b };
  return { alike, divergence: ends };
}

function comparable(records: readonly TelemetryRecord[]): Record<string, unknown>[] {
  const conns = new Map<string, string>();
  const rename = (conn: string): string => {
    const known = conns.get(conn) ?? `c${conns.size + 1}`;
    conns.set(conn, known);
    return known;
  };
  return foldTimeline(records).map(({ record, state }) => ({
    ...course(record, rename),
    state: { ...state, cursors: renamed(state.cursors, rename) },
  }));
}

function course(record: TimelineStep['record'], rename: (conn: string) => string): Record<string, unknown> {
  const members = Object.entries(record).filter(([name]) => !NAMES.has(name));
  return Object.fromEntries(members.map(([name, value]) => [name, name === 'conn' ? rename(String(value)) : value]));
}

const renamed = (cursors: Readonly<Record<string, unknown>>, rename: (conn: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cursors).map(([conn, position]) => [rename(conn), position]));

function firstDifference(a: unknown, b: unknown, path: string): { path: string; a: unknown; b: unknown } | null {
  if (Object.is(a, b)) return null;
  if (!isNested(a) || !isNested(b) || Array.isArray(a) !== Array.isArray(b)) return { path, a, b };
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[name], b[name], path === '' ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

function isNested(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}
