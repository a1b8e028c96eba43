import type { BatchNote, Drop, RejectedUnnumbered } from '@/lib/rollup/batch-numbers';
import { bucketOf } from '@/lib/rollup/buckets';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Measures that have a histogram, with the codes that the tables keep. */
export const HISTOGRAM_MEASURES = { gap: 0, replay: 1, lead: 2, latencyUs: 3 } as const;

/** A newly stored record as rollups see it: names and closed unions already as their stored numbers. */
export interface RolledRecord {
  readonly atMs: number;
  readonly server: number;
  readonly node: number | null;
  readonly session: string | null;
  readonly type: number;
  /** What happened to the server, a code below 16; null for most records. */
  readonly annotation: number | null;
  readonly attempt: RolledAttempt | null;
}

export interface RolledAttempt {
  /** Codes below 128, 16 and 16. */
  readonly reason: number;
  readonly assessment: number;
  readonly mark: number;
  readonly isUnavailable: boolean;
  readonly isUnsafe: boolean;
  readonly gap: bigint | null;
  readonly replay: bigint | null;
  readonly lead: bigint | null;
  /** The lead, of a rightly accepted cursor only. */
  readonly acceptedLead: bigint | null;
  readonly latencyUs: bigint | null;
  readonly kept: bigint | null;
  readonly needed: bigint | null;
}

export interface Sums {
  attempts: number;
  unavailable: number;
  gapEvents: bigint;
  uncounted: number;
}

export interface Span {
  firstMs: number;
  lastMs: number;
  records: number;
}

export interface HourSums extends Sums {
  firstMs: number;
  lastMs: number;
  leadMin: bigint | null;
  keptMax: bigint | null;
  neededMax: bigint | null;
}

export interface ServerIncrement extends Span {
  /** By hour and outcome, see `outcomeKey`. */
  readonly hours: Map<number, HourSums>;
  readonly nodes: Map<number, Span>;
  /** By minute and kind, see `annotationKey`. */
  readonly annotations: Map<number, number>;
}

export interface SessionIncrement extends Span {
  readonly server: number;
  attempts: number;
  unsafe: number;
  /** Hours since 1970 in which the session had an attempt, each with its unsafe resumes, in their order. A list, since it is one as a rule. */
  readonly hours: SessionHour[];
}

export interface SessionHour {
  readonly hour: number;
  unsafe: number;
}

/**
 * What a group of records adds to every rollup. Increments of two groups add up to those of their union, in any
 * order, so that they can be merged before they reach the tables.
 */
export interface Increments {
  /** By minute and outcome, see `outcomeKey`. */
  readonly minutes: Map<number, Sums>;
  /** By hour, measure, mark and bucket, see `histogramKey`. */
  readonly histogram: Map<number, number>;
  readonly servers: Map<number, ServerIncrement>;
  readonly sessions: Map<string, SessionIncrement>;
  /** By record type. */
  readonly types: Map<number, Span>;
  /** Numbered batches that the records came in. */
  readonly batches: BatchNote[];
  /** Records that were dropped by senders which do not number their batches. */
  readonly drops: Drop[];
  /** Records that were rejected outside of numbered batches. */
  readonly rejected: RejectedUnnumbered[];
  /** Hours of a server (`server` and `outcomeKey`, as `staleKey` writes them) that an attempt with a lead has left. */
  readonly stale: Set<string>;
}

export function noIncrements(): Increments {
  return {
    minutes: new Map(),
    histogram: new Map(),
    servers: new Map(),
    sessions: new Map(),
    types: new Map(),
    batches: [],
    drops: [],
    rejected: [],
    stale: new Set(),
  };
}

/** Number of a period (minutes or hours since 1970) and an outcome in one integer. */
export function outcomeKey(period: number, reason: number, assessment: number): number {
  return (period * 128 + reason) * 16 + assessment;
}

export function splitOutcomeKey(key: number): { period: number; reason: number; assessment: number } {
  const outcome = Math.floor(key / 16);
  return { period: Math.floor(outcome / 128), reason: outcome % 128, assessment: key % 16 };
}

/** Number of a minute since 1970 and an annotation's code in one integer. */
export function annotationKey(minute: number, kind: number): number {
  return minute * 16 + kind;
}

export function splitAnnotationKey(key: number): { minute: number; kind: number } {
  return { minute: Math.floor(key / 16), kind: key % 16 };
}

const BUCKET_OFFSET = 512;

/** Hour, measure, mark and bucket in one integer; buckets of 64-bit values lie within ±256. */
export function histogramKey(hour: number, measure: number, mark: number, bucket: number): number {
  return ((hour * 16 + measure) * 16 + mark) * (2 * BUCKET_OFFSET) + bucket + BUCKET_OFFSET;
}

export function splitHistogramKey(key: number): { hour: number; measure: number; mark: number; bucket: number } {
  const group = Math.floor(key / (2 * BUCKET_OFFSET));
  const measures = Math.floor(group / 16);
  return { hour: Math.floor(measures / 16), measure: measures % 16, mark: group % 16, bucket: (key % (2 * BUCKET_OFFSET)) - BUCKET_OFFSET };
}

/** Adds one record. */
export function addRecord(into: Increments, record: RolledRecord): void {
  const { atMs, type } = record;
  widen(spanAt(into.types, type, atMs), atMs);
  const server = serverAt(into, record.server, atMs);
  widen(server, atMs);
  if (record.node !== null) widen(spanAt(server.nodes, record.node, atMs), atMs);
  if (record.annotation !== null) addAnnotations(server, annotationKey(Math.floor(atMs / MINUTE_MS), record.annotation), 1);
  const session = record.session === null ? null : sessionAt(into, record.session, record.server, atMs);
  if (session !== null) widen(session, atMs);
  if (record.attempt !== null) addAttempt(into, server, session, atMs, record.attempt);
}

/**
 * Moves an attempt that was stored before from one judgement to another. Sums follow exactly; the smallest lead of the
 * outcome that it leaves cannot be lowered by a difference and is named as stale.
 */
export function moveAttempt(
  into: Increments,
  { atMs, server: serverId, session: ref }: Pick<RolledRecord, 'atMs' | 'server' | 'session'>,
  from: RolledAttempt,
  to: RolledAttempt,
): void {
  const server = serverAt(into, serverId, atMs);
  const hour = Math.floor(atMs / HOUR_MS);
  takeAttempt(into, server, atMs, from);
  if (from.acceptedLead !== null) into.stale.add(staleKey(serverId, outcomeKey(hour, from.reason, from.assessment)));
  addAttempt(into, server, null, atMs, to);
  if (ref === null || from.isUnsafe === to.isUnsafe) return;
  const session = sessionAt(into, ref, serverId, atMs);
  const more = to.isUnsafe ? 1 : -1;
  session.unsafe += more;
  addHour(session.hours, hour, more);
}

/** Names an outcome of a server's hour. */
export function staleKey(server: number, outcome: number): string {
  return `${server} ${outcome}`;
}

function addAttempt(
  into: Increments,
  server: ServerIncrement,
  session: SessionIncrement | null,
  atMs: number,
  attempt: RolledAttempt,
): void {
  const hour = Math.floor(atMs / HOUR_MS);
  const minuteKey = outcomeKey(Math.floor(atMs / MINUTE_MS), attempt.reason, attempt.assessment);
  addToSums(minuteAt(into, minuteKey), attempt, 1);
  const sums = hourAt(server, outcomeKey(hour, attempt.reason, attempt.assessment), atMs);
  addToSums(sums, attempt, 1);
  sums.firstMs = Math.min(sums.firstMs, atMs);
  sums.lastMs = Math.max(sums.lastMs, atMs);
  sums.leadMin = smaller(sums.leadMin, attempt.acceptedLead);
  sums.keptMax = larger(sums.keptMax, attempt.kept);
  sums.neededMax = larger(sums.neededMax, attempt.needed);
  if (session !== null) {
    session.attempts++;
    if (attempt.isUnsafe) session.unsafe++;
    addHour(session.hours, hour, attempt.isUnsafe ? 1 : 0);
  }
  countAttempt(into, hour, attempt, 1);
}

/** Takes away what an attempt added to sums and histograms; extremes stay, since they know no other attempt. */
function takeAttempt(into: Increments, server: ServerIncrement, atMs: number, attempt: RolledAttempt): void {
  const hour = Math.floor(atMs / HOUR_MS);
  const minuteKey = outcomeKey(Math.floor(atMs / MINUTE_MS), attempt.reason, attempt.assessment);
  addToSums(minuteAt(into, minuteKey), attempt, -1);
  addToSums(hourAt(server, outcomeKey(hour, attempt.reason, attempt.assessment), atMs), attempt, -1);
  countAttempt(into, hour, attempt, -1);
}

function addToSums(sums: Sums, attempt: RolledAttempt, sign: 1 | -1): void {
  sums.attempts += sign;
  if (attempt.isUnavailable) sums.unavailable += sign;
  if (attempt.gap === null) sums.uncounted += sign;
  else if (attempt.gap !== 0n) sums.gapEvents += BigInt(sign) * attempt.gap;
}

function countAttempt(into: Increments, hour: number, attempt: RolledAttempt, sign: 1 | -1): void {
  count(into, hour, HISTOGRAM_MEASURES.gap, attempt.mark, attempt.gap, sign);
  count(into, hour, HISTOGRAM_MEASURES.replay, attempt.mark, attempt.replay, sign);
  count(into, hour, HISTOGRAM_MEASURES.lead, attempt.mark, attempt.lead, sign);
  count(into, hour, HISTOGRAM_MEASURES.latencyUs, attempt.mark, attempt.latencyUs, sign);
}

function count(into: Increments, hour: number, measure: number, mark: number, value: bigint | null, sign: 1 | -1): void {
  if (value === null) return;
  const key = histogramKey(hour, measure, mark, bucketOf(value));
  into.histogram.set(key, (into.histogram.get(key) ?? 0) + sign);
}

/** The sums of a minute and outcome, begun where there are none. */
export function minuteAt({ minutes }: Increments, key: number): Sums {
  const known = minutes.get(key);
  if (known !== undefined) return known;
  const created = newSums();
  minutes.set(key, created);
  return created;
}

/** The sums of a server's hour and outcome, begun at `atMs` where there are none. */
export function hourAt({ hours }: ServerIncrement, key: number, atMs: number): HourSums {
  const known = hours.get(key);
  if (known !== undefined) return known;
  const created = newHourSums(atMs);
  hours.set(key, created);
  return created;
}

function newSums(): Sums {
  return { attempts: 0, unavailable: 0, gapEvents: 0n, uncounted: 0 };
}

function newHourSums(atMs: number): HourSums {
  return {
    attempts: 0,
    unavailable: 0,
    gapEvents: 0n,
    uncounted: 0,
    firstMs: atMs,
    lastMs: atMs,
    leadMin: null,
    keptMax: null,
    neededMax: null,
  };
}

export function serverAt(into: Increments, server: number, atMs: number): ServerIncrement {
  const known = into.servers.get(server);
  if (known !== undefined) return known;
  const created: ServerIncrement = { firstMs: atMs, lastMs: atMs, records: 0, hours: new Map(), nodes: new Map(), annotations: new Map() };
  into.servers.set(server, created);
  return created;
}

/** Adds to how often something happened to a server in a minute. */
export function addAnnotations({ annotations }: ServerIncrement, key: number, count: number): void {
  annotations.set(key, (annotations.get(key) ?? 0) + count);
}

export function sessionAt(into: Increments, ref: string, server: number, atMs: number): SessionIncrement {
  const known = into.sessions.get(ref);
  if (known !== undefined) return known;
  const created: SessionIncrement = { server, firstMs: atMs, lastMs: atMs, records: 0, attempts: 0, unsafe: 0, hours: [] };
  into.sessions.set(ref, created);
  return created;
}

/** Notes that a session had an attempt in an hour, and adds to its unsafe resumes. */
export function addHour(hours: SessionHour[], hour: number, unsafe: number): void {
  let at = hours.length;
  while (at > 0 && (hours[at - 1]?.hour ?? hour) >= hour) at--;
  const known = hours[at];
  if (known?.hour === hour) known.unsafe += unsafe;
  else hours.splice(at, 0, { hour, unsafe });
}

export function spanAt(spans: Map<number, Span>, key: number, atMs: number): Span {
  const known = spans.get(key);
  if (known !== undefined) return known;
  const created = { firstMs: atMs, lastMs: atMs, records: 0 };
  spans.set(key, created);
  return created;
}

function widen(span: Span, atMs: number): void {
  span.records++;
  if (atMs < span.firstMs) span.firstMs = atMs;
  if (atMs > span.lastMs) span.lastMs = atMs;
}

export function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

export function larger(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return b > a ? b : a;
}
