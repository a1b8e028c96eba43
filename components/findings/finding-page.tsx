'use client';

import { ApiFailure } from '@/components/api/api-failure';
import { useFinding } from '@/components/api/use-findings';
import css from '@/components/attempts/attempt-page.module.css';
import {
  FindingActs,
  FindingConsequences,
  FindingFacts,
  FindingHead,
  FindingNextStep,
  FindingProof,
  FindingRecords,
} from '@/components/findings/finding-detail';
import { FindingLadder } from '@/components/findings/finding-ladder';
import { FindingPlot } from '@/components/findings/finding-plot';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';
import type { FindingDetail } from '@/lib/audit/answer-schema';

/** One finding in full: what happened, the picture, the proof with its numbers, the records, what to do. */
export function FindingPage({ id }: { readonly id: string }) {
  const finding = useFinding(id);
  const isUnknown = finding.error instanceof ApiFailure && finding.error.status === 404;
  return (
    <>
      <TopBar title={<code>{finding.data?.finding.code ?? 'Finding'}</code>} parent={{ href: '/findings', name: 'Findings' }}>
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown ? (
          <Empty title="No finding has this id" acts={<TextLink href="/findings">All findings</TextLink>}>
            It was never told here, retention has taken it, or what came later disproved it.
          </Empty>
        ) : (
          <QueryFailure what="The finding" query={finding} />
        )}
        {finding.isPending && (
          <div className={css['head']}>
            <Bone height={90} />
          </div>
        )}
        {finding.data !== undefined && !isUnknown && <Whole detail={finding.data} />}
      </main>
    </>
  );
}

function Whole({ detail }: { readonly detail: FindingDetail }) {
  const { finding } = detail;
  return (
    <>
      <section className={css['head']} aria-label="What happened">
        <FindingHead finding={finding} />
        <p>{finding.message}</p>
        <FindingActs detail={detail} isPeek={false} />
      </section>
      <div className={css['two']}>
        <div className={css['left']}>
          <FindingPlot detail={detail} className={css['plot']} height={320} />
          <FindingProof detail={detail} />
          <FindingLadder detail={detail} />
          <FindingRecords detail={detail} />
        </div>
        <div className={css['right']}>
          <FindingConsequences finding={finding} />
          <FindingNextStep finding={finding} />
          <FindingFacts finding={finding} />
        </div>
      </div>
    </>
  );
}
