'use client';

import type { Attempt } from '@/components/api/attempt';
import css from '@/components/attempts/attempt-detail.module.css';
import { factLines } from '@/components/attempts/attempt-facts-list';
import { attemptSentence } from '@/components/attempts/attempt-sentence';
import { MiniPlot } from '@/components/attempts/mini-plot';
import { nextStep } from '@/components/attempts/next-step';
import { ProofLadderView } from '@/components/attempts/proof-ladder-view';
import { smallestChangeOf } from '@/components/attempts/smallest-change';
import { SightLink } from '@/components/sight/sight-link';
import { buttonClass } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import { markTextColour } from '@/components/verdict-mark/mark-style';

/** What happened, in words with its numbers. */
export function AttemptSentence({ attempt }: { readonly attempt: Attempt }) {
  return (
    <p className={css['say']} data-testid="attempt-sentence">
      {attemptSentence(attempt).map((phrase) =>
        phrase.isLoss ? (
          <b key={phrase.text} style={{ color: markTextColour(attempt.mark) }}>
            {phrase.text}
          </b>
        ) : (
          phrase.text
        ),
      )}
    </p>
  );
}

/** Where one goes from an attempt. */
export function AttemptActs({ attempt, isPeek }: { readonly attempt: Attempt; readonly isPeek: boolean }) {
  return (
    <div className={css['acts']}>
      {attempt.session !== null && (
        <SightLink className={buttonClass({ look: 'primary' })} href={`/sessions/${attempt.session}?attempt=${attempt.id}`}>
          Open the session
        </SightLink>
      )}
      {isPeek && (
        <SightLink className={buttonClass({})} href={`/attempts/${attempt.id}`}>
          Whole page
        </SightLink>
      )}
      <CopyButton text={JSON.stringify(attempt, null, 2)} label="Copy record" />
    </div>
  );
}

export function ProofPart({ attempt }: { readonly attempt: Attempt }) {
  return (
    <section className={css['part']} aria-label="Proof">
      <h3>Proof</h3>
      <ProofLadderView attempt={attempt} />
      <Change attempt={attempt} />
    </section>
  );
}

/** The smallest change of fact that would have made the attempt right. */
function Change({ attempt }: { readonly attempt: Attempt }) {
  const change = smallestChangeOf(attempt);
  if (change === null) return null;
  return (
    <p className={css['smallest']} data-testid="smallest-change">
      Smallest change: <code>{change.fact}</code> {change.from} → <b>{change.to}</b>. {change.sentence}
    </p>
  );
}

export function FactsPart({ attempt }: { readonly attempt: Attempt }) {
  return (
    <section className={css['part']} aria-label="Facts">
      <h3>Facts</h3>
      <dl className={css['facts']}>
        {factLines(attempt).map((fact) => (
          <FactRow key={fact.name} name={fact.name} value={fact.value} isCode={fact.isCode === true} />
        ))}
      </dl>
    </section>
  );
}

function FactRow({ name, value, isCode }: { readonly name: string; readonly value: string; readonly isCode: boolean }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{isCode ? <code>{value}</code> : value}</dd>
    </>
  );
}

export function NextStepPart({ attempt }: { readonly attempt: Attempt }) {
  return (
    <section className={css['part']} aria-label="Next step">
      <h3>Next step</h3>
      <p className={css['step']}>{nextStep(attempt)}</p>
    </section>
  );
}

/** Everything about an attempt in one column: sentence, picture, proof, facts, next step. */
export function AttemptDetail({ attempt }: { readonly attempt: Attempt }) {
  return (
    <>
      <section className={css['part']}>
        <AttemptSentence attempt={attempt} />
        <AttemptActs attempt={attempt} isPeek />
      </section>
      <MiniPlot attempt={attempt} className={css['part']} />
      <ProofPart attempt={attempt} />
      <FactsPart attempt={attempt} />
      <NextStepPart attempt={attempt} />
    </>
  );
}
