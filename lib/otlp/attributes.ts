import { encodePosition, parsePosition } from '@/lib/base/position';
import { isMemberName } from '@/lib/otlp/member-names';
import type { KeyValue } from '@/lib/otlp/schema';

/** Deeper than any record may be, so that the intake refuses what was cut off here by its depth. */
const DEPTH_MAX = 70;
/** About what a number, a boolean or null takes. */
const SCALAR_CHARS = 8;

/** Attributes that records are made of, as plain values by their key; of a key given twice the last one counts. */
export interface Attributes {
  readonly values: ReadonlyMap<string, unknown>;
  /** About as much as they add to each record that they hold for. */
  readonly chars: number;
}

export function attributesOf(list: readonly KeyValue[] | undefined): Attributes {
  return weighed((list ?? []).filter(({ key }) => isMemberName(key)).map(({ key, value }) => [key, plainValue(value, 0)]));
}

/** Attributes of a span as far as they hold for its events, too, and what those have of their own. */
export function inherited({ values }: Attributes, isShared: (key: string) => boolean): Attributes {
  return weighed([...values].filter(([key]) => isShared(key)));
}

export function together(shared: Attributes, own: Attributes): Attributes {
  return { values: new Map([...shared.values, ...own.values]), chars: shared.chars + own.chars };
}

function weighed(entries: readonly (readonly [string, unknown])[]): Attributes {
  return { values: new Map(entries), chars: entries.reduce((sum, [key, value]) => sum + key.length + charsOf(value), 0) };
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return SCALAR_CHARS;
  return Object.entries(value).reduce((sum, [key, member]) => sum + (Array.isArray(value) ? 1 : key.length) + charsOf(member), 0);
}

/** An OTLP AnyValue as a plain value; without any member it is null. Integers beyond 2^53 become decimal text. */
function plainValue(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || depth > DEPTH_MAX) return null;
  const any = value as Readonly<Record<string, unknown>>;
  if (any['stringValue'] !== undefined) return any['stringValue'];
  if (any['boolValue'] !== undefined) return any['boolValue'];
  if (any['intValue'] !== undefined) return integer(any['intValue']);
  if (any['doubleValue'] !== undefined) return any['doubleValue'];
  if (any['arrayValue'] !== undefined) return valuesOf(any['arrayValue']).map((member) => plainValue(member, depth + 1));
  if (any['kvlistValue'] !== undefined) return Object.fromEntries(valuesOf(any['kvlistValue']).map((entry) => pairOf(entry, depth)));
  return null;
}

function valuesOf(list: unknown): readonly unknown[] {
  const values = list === null || typeof list !== 'object' ? undefined : (list as { values?: unknown }).values;
  return Array.isArray(values) ? values : [];
}

function pairOf(entry: unknown, depth: number): readonly [string, unknown] {
  const { key, value } = (entry ?? {}) as { key?: unknown; value?: unknown };
  return [typeof key === 'string' ? key : '', plainValue(value, depth + 1)];
}

/** Negative integers are no positions; they are small (JSON-RPC codes) or stay text. */
function integer(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const position = parsePosition(value);
  if (position !== null) return encodePosition(position);
  return /^-\d{1,15}$/.test(value) ? Number(value) : value;
}
