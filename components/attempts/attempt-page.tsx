'use client';

import { ApiFailure } from '@/components/api/api-failure';
import type { Attempt } from '@/components/api/attempt';
import { useAttempt } from '@/components/api/use-attempts';
import { AttemptActs, AttemptSentence, FactsPart, NextStepPart, ProofPart } from '@/components/attempts/attempt-detail';
import css from '@/components/attempts/attempt-page.module.css';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { useAttemptPlot } from '@/components/attempts/use-attempt-plot';
import { shortText } from '@/components/format/short-text';
import { PlotSection } from '@/components/plot/plot-section';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

/** One attempt in full: what happened, the picture, the proof with its numbers, the facts, what to do. */
export function AttemptPage({ id }: { readonly id: string }) {
  const attempt = useAttempt(id);
  const isUnknown = attempt.error instanceof ApiFailure && attempt.error.status === 404;
  return (
    <>
      <TopBar title={<code>{shortText(id, 13)}</code>} parent={{ href: '/attempts', name: 'Attempts' }}>
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown ? (
          <Empty title="No attempt has this id" acts={<TextLink href="/attempts">All attempts</TextLink>}>
            It was never stored here, or retention has taken it.
          </Empty>
        ) : (
          <QueryFailure what="The attempt" query={attempt} />
        )}
        {attempt.isPending && (
          <div className={css['head']}>
            <Bone height={90} />
          </div>
        )}
        {attempt.data !== undefined && <Whole attempt={attempt.data} />}
      </main>
    </>
  );
}

function Whole({ attempt }: { readonly attempt: Attempt }) {
  return (
    <>
      <section className={css['head']} aria-label="What happened">
        <VerdictBadge mark={attempt.mark} look="box" words={attempt.assessment} /> &nbsp; {attempt.server}
        <AttemptSentence attempt={attempt} />
        <AttemptActs attempt={attempt} isPeek={false} />
      </section>
      <div className={css['two']}>
        <div className={css['left']}>
          <AttemptPlot attempt={attempt} />
          <ProofPart attempt={attempt} />
          <NextStepPart attempt={attempt} />
        </div>
        <div className={css['right']}>
          <FactsPart attempt={attempt} />
        </div>
      </div>
    </>
  );
}

function AttemptPlot({ attempt }: { readonly attempt: Attempt }) {
  const picture = useAttemptPlot(attempt);
  if (picture === null) return null;
  return <PlotSection data={picture.data} className={css['plot']} height={300} finding={sentenceOf(attempt)} selected={attempt.id} />;
}
