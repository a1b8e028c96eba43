import { ASSESSMENT_CODES, MARK_CODES, REASON_CODES, UNDECIDED_CODE, VERDICT_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { outcomeOf } from '@/lib/query/measures';
import { namesList } from '@/lib/query/names-list';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { Mark } from '@/lib/resume/mark';
import type { Reason, Verdict } from '@/lib/resume/types';

/** What a filter leaves out, each a list of alternatives; null leaves nothing out. */
export interface Exclusions {
  readonly servers: readonly string[] | null;
  readonly reasons: readonly Reason[] | null;
  readonly assessments: readonly Assessment[] | null;
  readonly marks: readonly Mark[] | null;
}

/** Which attempts a list, a count or a chart is about. Lists name alternatives; null does not restrict. */
export interface AttemptFilter {
  readonly servers: readonly string[] | null;
  /** Id of the project whose servers they are, where they are all of them. */
  readonly project?: number;
  /** Session reference, 32 hexadecimal digits. */
  readonly session: string | null;
  readonly reasons: readonly Reason[] | null;
  readonly verdicts: readonly Verdict[] | null;
  readonly assessments: readonly Assessment[] | null;
  readonly marks: readonly Mark[] | null;
  /** Whether the attempt is counted as `resume_unavailable`: the refusal of a live session's cursor. */
  readonly unavailable: boolean | null;
  /** What is left out; an attempt whose reason is open is not left out by any reason. */
  readonly not?: Exclusions;
  /** Client name, or name/version. */
  readonly client: string | null;
  readonly protocolVersion: string | null;
  /** Part of the cursor's text, of a generation, or of the server's or node's name. */
  readonly text: string | null;
  /** Bounds of the events missing after the cursor, inclusive; attempts whose gap cannot be sized are outside of any. */
  readonly gapMin: bigint | null;
  readonly gapMax: bigint | null;
  /** Epoch milliseconds: from inclusive, to exclusive. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Leaves nothing out: what a filter of some members is made from. */
export const ANY_ATTEMPT: AttemptFilter = {
  servers: null,
  session: null,
  reasons: null,
  verdicts: null,
  assessments: null,
  marks: null,
  unavailable: null,
  client: null,
  protocolVersion: null,
  text: null,
  gapMin: null,
  gapMax: null,
  fromMs: null,
  toMs: null,
};

/** The conditions of a filter on the table `attempt` (alias `a`), as a fragment that follows `where`. */
export function attemptConditions(sql: Sql, filter: AttemptFilter) {
  const conditions = [
    filter.fromMs === null ? null : sql`a.at >= ${new Date(filter.fromMs)}`,
    filter.toMs === null ? null : sql`a.at < ${new Date(filter.toMs)}`,
    namesServers(filter) ? ofServers(sql, filter, 'a') : null,
    filter.session === null ? null : sql`a.session_ref = ${filter.session}::uuid`,
    codesIn(sql, 'reason', filter.reasons, REASON_CODES),
    codesIn(sql, 'verdict', filter.verdicts, VERDICT_CODES),
    codesIn(sql, 'assessment', filter.assessments, ASSESSMENT_CODES),
    codesIn(sql, 'mark', filter.marks, MARK_CODES),
    filter.unavailable === null ? null : filter.unavailable ? sql`a.is_unavailable` : sql`not a.is_unavailable`,
    codesNotIn(sql, 'reason', filter.not?.reasons, REASON_CODES),
    codesNotIn(sql, 'assessment', filter.not?.assessments, ASSESSMENT_CODES),
    codesNotIn(sql, 'mark', filter.not?.marks, MARK_CODES),
    filter.client === null
      ? null
      : sql`a.client_id in (select id from client where name = ${filter.client} or starts_with(name, ${`${filter.client}/`}))`,
    filter.protocolVersion === null ? null : sql`a.protocol_version = ${filter.protocolVersion}`,
    filter.text === null ? null : textCondition(sql, filter.text),
    filter.gapMin === null ? null : sql`a.gap_count >= ${filter.gapMin.toString()}::bigint`,
    filter.gapMax === null ? null : sql`a.gap_count <= ${filter.gapMax.toString()}::bigint`,
  ];
  return conditions.reduce((all, next) => (next === null ? all : sql`${all} and ${next}`), sql`true`);
}

/** Whether a filter tells attempts of a server apart by what became of them; rollups that count all of them do not know. */
export function tellsOutcomes(filter: AttemptFilter): boolean {
  return filter.unavailable !== null || outcomeCodes(filter) !== null;
}

/**
 * The outcomes (reason × 16 + assessment, as rollups keep them) that a filter lets through; null when it lets all
 * of them through.
 */
export function outcomeCodes(filter: AttemptFilter): number[] | null {
  const { reasons, verdicts, assessments, marks, not } = filter;
  const told = [reasons, verdicts, assessments, marks, not?.reasons, not?.assessments, not?.marks];
  if (told.every((list) => list === null || list === undefined)) return null;
  const codes: number[] = [];
  for (const reasonCode of [...Object.values(REASON_CODES), UNDECIDED_CODE]) {
    for (const assessmentCode of Object.values(ASSESSMENT_CODES)) {
      const { reason, verdict, assessment, mark } = outcomeOf(reasonCode, assessmentCode);
      const isIn = admits(reasons, reason) && admits(verdicts, verdict) && admits(assessments, assessment) && admits(marks, mark);
      const isOut = excludes(not?.reasons, reason) || excludes(not?.assessments, assessment) || excludes(not?.marks, mark);
      if (isIn && !isOut) codes.push(reasonCode * 16 + assessmentCode);
    }
  }
  return codes;
}

function admits<T>(allowed: readonly T[] | null, value: T | null): boolean {
  return allowed === null || (value !== null && allowed.includes(value));
}

function excludes<T>(left: readonly T[] | null | undefined, value: T | null): boolean {
  return value !== null && (left?.includes(value) ?? false);
}

/** Servers that a filter of anything names, and those that it leaves out. */
interface ServerFilter {
  readonly servers: readonly string[] | null;
  readonly not?: { readonly servers: readonly string[] | null } | undefined;
}

/** Whether a filter tells servers apart. */
export function namesServers({ servers, not }: ServerFilter): boolean {
  return servers !== null || (not?.servers ?? null) !== null;
}

/** The condition of a filter's servers on the column `server_id` of a table, true where it tells none apart. */
export function ofServers(sql: Sql, { servers, not }: ServerFilter, alias: string) {
  const among = (names: readonly string[]) => sql`(select id from server where name in ${namesList(sql, names)})`;
  const left = not?.servers ?? null;
  const isIn = servers === null ? sql`true` : sql`${sql(alias)}.server_id in ${among(servers)}`;
  return left === null ? isIn : sql`${isIn} and ${sql(alias)}.server_id not in ${among(left)}`;
}

function codesNotIn<T extends string>(
  sql: Sql,
  column: string,
  members: readonly T[] | null | undefined,
  codes: Readonly<Record<T, number>>,
) {
  if (members === null || members === undefined) return null;
  return sql`(a.${sql(column)} is null or a.${sql(column)} not in ${sql(members.map((member): number => codes[member]))})`;
}

function codesIn<T extends string>(sql: Sql, column: string, members: readonly T[] | null, codes: Readonly<Record<T, number>>) {
  if (members === null) return null;
  return sql`a.${sql(column)} in ${sql(members.map((member): number => codes[member]))}`;
}

function textCondition(sql: Sql, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
  return sql`(a.body ilike ${pattern})`;
}
