import { FINDING_GROUPS, type FindingCode, type FindingGroup } from '@/lib/audit/finding';
import type { Mark } from '@/lib/resume/mark';

/** Findings are drawn with the marks of attempts, by what they are about. */
const MARK_OF_GROUP: Readonly<Record<FindingGroup, Mark>> = {
  loss: 'unsafe_resume',
  repetition: 'bad_replay',
  'wrong history': 'unsafe_resume',
  refusal: 'over_refusal',
  loops: 'refused',
  session: 'refused',
  'path and client': 'unverifiable',
};

export function markOfFinding(code: FindingCode): Mark {
  for (const [group, mark] of Object.entries(MARK_OF_GROUP)) {
    const codes: readonly string[] = FINDING_GROUPS[group as FindingGroup];
    if (codes.includes(code)) return mark;
  }
  return 'unverifiable';
}
