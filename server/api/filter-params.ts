import Type from 'typebox';
import { parsePosition } from '@/lib/base/position';
import { invalidField } from '@/lib/http/http-error';
import type { QueryReader } from '@/lib/http/query-reader';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import type { AttemptFilter } from '@/lib/query/attempt-filter';
import { decodePageCursor, type PageCursor } from '@/lib/query/page-cursor';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS, type Verdict } from '@/lib/resume/types';
import { ProjectParam } from '@/server/api/project-filter';

const VERDICTS: readonly Verdict[] = ['resume', 'refuse', 'fresh', 'not_applicable'];
const SESSION_REF = /^[0-9a-f]{32}$/;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A filter that takes several members of a closed set. */
export const listOf = (members: readonly string[]) =>
  Type.Optional(Type.String({ description: `one or more of ${members.join(', ')}, separated by commas` }));
/** What a filter leaves out, of a closed set. */
export const notListOf = (members: readonly string[]) =>
  Type.Optional(Type.String({ description: `what to leave out: one or more of ${members.join(', ')}, separated by commas` }));
export const InstantParam = Type.Optional(Type.String({ description: 'an instant: RFC 3339 text or epoch milliseconds' }));

/** The filters that every list and chart of attempts takes, for the OpenAPI document. */
export const FILTER_PARAMS = {
  project: ProjectParam,
  server: Type.Optional(Type.String({ description: 'one or more names, separated by commas' })),
  session: Type.Optional(Type.String({ description: 'a session reference, 32 hexadecimal digits' })),
  reason: listOf(REASONS),
  verdict: listOf(VERDICTS),
  assessment: listOf(ASSESSMENTS),
  mark: listOf(MARKS),
  unavailable: Type.Optional(Type.String({ description: 'true: what is counted as resume_unavailable; false: any other attempt' })),
  server_not: Type.Optional(Type.String({ description: 'one or more names to leave out, separated by commas' })),
  reason_not: notListOf(REASONS),
  assessment_not: notListOf(ASSESSMENTS),
  mark_not: notListOf(MARKS),
  client: Type.Optional(Type.String({ description: 'a client by name, or by name/version' })),
  protocol_version: Type.Optional(Type.String()),
  q: Type.Optional(Type.String({ description: 'text that the record holds' })),
  gap_min: Type.Optional(Type.String({ description: 'least events missing after the cursor' })),
  gap_max: Type.Optional(Type.String({ description: 'most events missing after the cursor' })),
  from: InstantParam,
  to: InstantParam,
};

/** Reads the filters of a query string; the refusal of a bad one names it. */
export function readFilter(reader: QueryReader): AttemptFilter {
  return {
    servers: reader.list('server'),
    session: readSessionRef(reader),
    reasons: reader.oneOfEach('reason', REASONS),
    verdicts: reader.oneOfEach('verdict', VERDICTS),
    assessments: reader.oneOfEach('assessment', ASSESSMENTS),
    marks: reader.oneOfEach('mark', MARKS),
    unavailable: readAnswer(reader, 'unavailable'),
    not: {
      servers: reader.list('server_not'),
      reasons: reader.oneOfEach('reason_not', REASONS),
      assessments: reader.oneOfEach('assessment_not', ASSESSMENTS),
      marks: reader.oneOfEach('mark_not', MARKS),
    },
    client: reader.text('client'),
    protocolVersion: reader.text('protocol_version'),
    text: reader.text('q'),
    gapMin: readGap(reader, 'gap_min'),
    gapMax: readGap(reader, 'gap_max'),
    fromMs: reader.instant('from'),
    toMs: reader.instant('to'),
  };
}

/** Yes or no, null when absent. */
export function readAnswer(reader: QueryReader, name: string): boolean | null {
  const text = reader.text(name);
  if (text !== null && text !== 'true' && text !== 'false') throw invalidField(name, 'must be true or false');
  return text === null ? null : text === 'true';
}

/** A session reference, null when absent. */
export function readSessionRef(reader: QueryReader): string | null {
  const session = reader.text('session');
  if (session !== null && !SESSION_REF.test(session)) throw invalidField('session', 'must be a session reference of 32 hexadecimal digits');
  return session;
}

function readGap(reader: QueryReader, name: string): bigint | null {
  const text = reader.text(name);
  const gap = text === null ? null : parsePosition(text);
  if (text !== null && gap === null) throw invalidField(name, 'must be a count of events');
  return gap;
}

/** The same for answers about a period: up to now, and from the hour on in which the last 24 hours began, unless it is given. */
export function readPeriodFilter(reader: QueryReader, now: number): PeriodFilter {
  const filter = readFilter(reader);
  // Exclusive, so a millisecond later takes in what was stored just now.
  const toMs = filter.toMs ?? now + 1;
  const fromMs = filter.fromMs ?? Math.floor((toMs - DAY_MS) / HOUR_MS) * HOUR_MS;
  if (fromMs >= toMs) throw invalidField('from', 'must be before to');
  return { ...filter, fromMs, toMs, isOpen: filter.toMs === null };
}

/** The place that a list is to go on from, null for its beginning. */
export function readPageCursor(reader: QueryReader): PageCursor | null {
  const text = reader.text('cursor');
  const cursor = text === null ? null : decodePageCursor(text);
  if (text !== null && cursor === null) throw invalidField('cursor', 'must be the text that the page before gave as next');
  return cursor;
}
