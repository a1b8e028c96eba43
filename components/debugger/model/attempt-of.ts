import type { Attempt } from '@/components/api/attempt';
import type { Explanation } from '@/lib/replay/explain';
import { instantText } from '@/lib/replay/fold-timeline';
import type { Mark } from '@/lib/resume/mark';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** An attempt of a history in the form in which stored attempts are told in words. */
export function attemptOf(record: ResumeAttemptRecord, explanation: Explanation, mark: Mark): Attempt {
  const at = instantText(record.at) ?? '';
  return {
    ...record,
    id: record.id ?? '',
    at,
    received_at: at,
    server: record.server ?? 'default',
    session: record.session ?? null,
    session_label: null,
    decision: explanation.decision,
    assessment: explanation.assessment,
    mark,
    judged_by: 'history',
    missing: [],
  };
}
