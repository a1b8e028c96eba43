'use client';

import { useFinding } from '@/components/api/use-findings';
import css from '@/components/attempts/attempt-detail.module.css';
import {
  FindingActs,
  FindingConsequences,
  FindingFacts,
  FindingHead,
  FindingNextStep,
  FindingProof,
  FindingRecords,
} from '@/components/findings/finding-detail';
import { FindingPlot } from '@/components/findings/finding-plot';
import { PeekPanel } from '@/components/table/peek-panel';

/** One finding beside the list. */
export function FindingPeek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useFinding(id);
  const detail = query.data;
  return (
    <PeekPanel what="Finding" query={query} title={detail === undefined ? null : <code>{detail.finding.code}</code>} onClose={onClose}>
      {detail !== undefined && (
        <>
          <section className={css['part']}>
            <FindingHead finding={detail.finding} />
            <p className={css['say']}>{detail.finding.message}</p>
            <FindingActs detail={detail} isPeek />
          </section>
          <FindingPlot detail={detail} className={css['part']} height={148} isMini />
          <FindingProof detail={detail} />
          <FindingConsequences finding={detail.finding} />
          <FindingNextStep finding={detail.finding} />
          <FindingRecords detail={detail} />
          <FindingFacts finding={detail.finding} />
        </>
      )}
    </PeekPanel>
  );
}
