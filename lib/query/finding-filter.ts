import { BLAME_CODES, FINDING_CODES, SEVERITY_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import type { Blame, FindingCode, Severity } from '@/lib/audit/finding';
import { namesServers, ofServers } from '@/lib/query/attempt-filter';

/** Which findings a list or a count is about. Lists name alternatives; null does not restrict. */
export interface FindingFilter {
  readonly codes: readonly FindingCode[] | null;
  readonly severities: readonly Severity[] | null;
  readonly blames: readonly Blame[] | null;
  readonly servers: readonly string[] | null;
  /** What is left out. */
  readonly not?: {
    readonly codes?: readonly FindingCode[] | null;
    readonly severities?: readonly Severity[] | null;
    readonly blames?: readonly Blame[] | null;
    readonly servers: readonly string[] | null;
  };
  /** Session reference, 32 hexadecimal digits. */
  readonly session: string | null;
  /** Instant of the record that proves it, epoch milliseconds: from inclusive, to exclusive. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Findings of the servers, session and period of a filter of attempts, which knows nothing else of them. */
export function findingsOf({ servers, not, session, fromMs, toMs }: Omit<FindingFilter, 'codes' | 'severities' | 'blames'>): FindingFilter {
  return { codes: null, severities: null, blames: null, servers, not: { servers: not?.servers ?? null }, session, fromMs, toMs };
}

/** The conditions of a filter on the table `finding` (alias `f`), as a fragment that follows `where`. */
export function findingConditions(sql: Sql, filter: FindingFilter) {
  const conditions = [
    filter.fromMs === null ? null : sql`f.at >= ${new Date(filter.fromMs)}`,
    filter.toMs === null ? null : sql`f.at < ${new Date(filter.toMs)}`,
    namesServers(filter) ? ofServers(sql, filter, 'f') : null,
    filter.session === null ? null : sql`f.session_ref = ${filter.session}::uuid`,
    codesIn(sql, 'code', filter.codes, FINDING_CODES),
    codesIn(sql, 'severity', filter.severities, SEVERITY_CODES),
    codesIn(sql, 'blame', filter.blames, BLAME_CODES),
    codesNotIn(sql, 'code', filter.not?.codes ?? null, FINDING_CODES),
    codesNotIn(sql, 'severity', filter.not?.severities ?? null, SEVERITY_CODES),
    codesNotIn(sql, 'blame', filter.not?.blames ?? null, BLAME_CODES),
  ];
  return conditions.reduce((all, next) => (next === null ? all : sql`${all} and ${next}`), sql`true`);
}

function codesIn<T extends string>(sql: Sql, column: string, members: readonly T[] | null, codes: Readonly<Record<T, number>>) {
  return members === null ? null : sql`f.${sql(column)} in ${sql(members.map((member): number => codes[member]))}`;
}

function codesNotIn<T extends string>(sql: Sql, column: string, members: readonly T[] | null, codes: Readonly<Record<T, number>>) {
  return members === null ? null : sql`f.${sql(column)} not in ${sql(members.map((member): number => codes[member]))}`;
}
