import { countOf, formatCount } from '@/components/format/count';
import { FINDING_GROUPS, type Finding, type FindingCode } from '@/lib/audit/finding';

/** What a finding counts, by the group of its code (contract section 5); groups that count events are not named. */
const UNITS: Readonly<Record<string, string>> = { loops: 'connection', session: 'session', 'path and client': 'connection' };

function unitOf(code: FindingCode): string {
  for (const [group, codes] of Object.entries(FINDING_GROUPS)) {
    const names: readonly string[] = codes;
    if (names.includes(code)) return UNITS[group] ?? 'event';
  }
  return 'event';
}

/** How much, with its unit: `9 events`, `at least 3 connections`. */
export function findingCount({ code, count, exact }: Pick<Finding, 'code' | 'count' | 'exact'>): string {
  return `${exact ? '' : 'at least '}${countOf(count, unitOf(code))}`;
}

/** The same in a dense cell: `9`, `≥ 3`. */
export function findingCountCell({ count, exact }: Pick<Finding, 'count' | 'exact'>): string {
  return `${exact ? '' : '≥ '}${formatCount(count)}`;
}
