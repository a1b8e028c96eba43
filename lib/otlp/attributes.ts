import { encodePosition, parsePosition } from '@/lib/base/position';
import type { KeyValue } from '@/lib/otlp/schema';

/** Deeper than any record may be, so that the intake refuses what was cut off here by its depth. */
const DEPTH_MAX = 70;

/** Attributes by their key, as plain values; of a key given twice the last one counts. */
export function attributesOf(list: readonly KeyValue[] | undefined): ReadonlyMap<string, unknown> {
  return new Map((list ?? []).map(({ key, value }) => [key, plainValue(value, 0)]));
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
