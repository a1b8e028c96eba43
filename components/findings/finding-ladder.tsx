'use client';

import { useAttempt } from '@/components/api/use-attempts';
import css from '@/components/attempts/attempt-detail.module.css';
import { ProofLadderView } from '@/components/attempts/proof-ladder-view';
import { firstIllegalOf } from '@/components/findings/finding-detail';
import type { FindingDetail } from '@/lib/audit/answer-schema';

/** The verdict's rows for the resume attempt that a finding is about; nothing where it cites none. */
export function FindingLadder({ detail }: { readonly detail: FindingDetail }) {
  const first = firstIllegalOf(detail);
  const cited = first?.record.type === 'resume_attempt' ? first : detail.records.findLast(({ record }) => record.type === 'resume_attempt');
  return cited === undefined ? null : <Ladder id={cited.id} />;
}

function Ladder({ id }: { readonly id: string }) {
  const attempt = useAttempt(id);
  if (attempt.data === undefined) return null;
  return (
    <section className={css['part']} aria-label="The resume attempt by the rules">
      <h3>The resume attempt by the rules</h3>
      <ProofLadderView attempt={attempt.data} />
    </section>
  );
}
