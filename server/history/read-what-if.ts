import { parseJsonExactly } from '@/lib/base/json';
import { HttpError, invalidField } from '@/lib/http/http-error';
import type { ServerPeriod } from '@/lib/query/history-records';
import { type Change, decodeChange } from '@/lib/whatif/change';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** What a what-if is asked of. */
export type WhatIfSource =
  | { readonly kind: 'records'; readonly records: readonly TelemetryRecord[] }
  | { readonly kind: 'incident'; readonly id: string }
  | { readonly kind: 'server'; readonly period: ServerPeriod };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reads the body of a what-if.
 *
 * @throws HttpError `malformed_json`, `invalid_field` with the path of the first field at fault
 */
export function readWhatIf(text: string): { readonly source: WhatIfSource; readonly change: Change } {
  const members = objectOf(text);
  if (members['change'] === undefined) throw invalidField('change', 'is required');
  const change = decodeChange(members['change']);
  if (!change.ok) throw invalidField(change.error.path === '' ? 'change' : `change.${change.error.path}`, change.error.message);
  const named = ['records', 'incident', 'server'].filter((name) => members[name] !== undefined);
  if (named.length !== 1)
    throw invalidField(named[1] ?? 'records', 'must be the only one of records, incident and server, and one of them');
  return { source: sourceOf(members), change: change.value };
}

function sourceOf(members: Readonly<Record<string, unknown>>): WhatIfSource {
  const { records, incident, server } = members;
  if (records !== undefined) return { kind: 'records', records: recordsOf(records) };
  if (incident !== undefined) {
    if (typeof incident !== 'string' || !UUID.test(incident.toLowerCase())) throw invalidField('incident', 'must be the id of an incident');
    return { kind: 'incident', id: incident.toLowerCase() };
  }
  if (typeof server !== 'string' || server === '') throw invalidField('server', 'must be the name of a server');
  return { kind: 'server', period: { server, ...periodOf(members) } };
}

/** The period of a body's `from` and `to`. @throws HttpError `invalid_field` */
export function periodOf({ from, to }: Readonly<Record<string, unknown>>): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = instantOf('from', from);
  const toMs = instantOf('to', to);
  if (fromMs >= toMs) throw invalidField('from', 'must be before to');
  return { fromMs, toMs };
}

function instantOf(path: string, value: unknown): number {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!(ms >= 0 && ms < 253_402_300_800_000)) throw invalidField(path, 'must be an instant: RFC 3339 text or epoch milliseconds');
  return ms;
}

/** A JSON text as an object. @throws HttpError `malformed_json`, `invalid_field` */
export function objectOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJsonExactly(text);
  } catch (cause) {
    throw new HttpError('malformed_json', 'the body is not JSON', { cause });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalidField('', 'the body must be an object');
  return value as Record<string, unknown>;
}

function recordsOf(value: unknown): TelemetryRecord[] {
  if (!Array.isArray(value)) throw invalidField('records', 'must be an array of records');
  return value.map((item, index) => {
    const decoded = decodeRecord(item);
    if (decoded.ok) return decoded.value;
    throw invalidField(`records[${index}]${decoded.error.path === '' ? '' : `.${decoded.error.path}`}`, decoded.error.message);
  });
}
