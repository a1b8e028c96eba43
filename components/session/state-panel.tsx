import type { Attempt } from '@/components/api/attempt';
import type { Step } from '@/components/api/timeline';
import { AttemptSentence } from '@/components/attempts/attempt-detail';
import { actWords } from '@/components/attempts/attempt-facts-list';
import { nextStep } from '@/components/attempts/next-step';
import { ProofLadderView } from '@/components/attempts/proof-ladder-view';
import { rangeOf } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { RetainedBar } from '@/components/session/retained-bar';
import css from '@/components/session/session-page.module.css';
import { TextLink } from '@/components/ui/text-link';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';
import { parsePosition } from '@/lib/base/position';

/** What is known of the stream after the selected record, and the proof when that is an attempt. */
export function StatePanel({ step, attempt }: { readonly step: Step; readonly attempt: Attempt | null }) {
  return (
    <>
      <StateSection step={step} attempt={attempt} />
      {attempt !== null && <ProofSection attempt={attempt} />}
    </>
  );
}

function StateSection({ step, attempt }: { readonly step: Step; readonly attempt: Attempt | null }) {
  const { state } = step;
  const told = (value: number | string | null) => (value === null ? 'not known' : String(value));
  const cursors = Object.entries(state.cursors);
  const shown = attempt === null ? parsePosition(cursors[0]?.[1]) : parsePosition(attempt.cursor);
  return (
    <section aria-label="State">
      <h2>
        State after record {step.index + 1}{' '}
        {step.at !== null && (
          <code className={css['faint']}>
            {timeOfDay(Date.parse(step.at))} {zoneName(Date.parse(step.at))}
          </code>
        )}
      </h2>
      <RetainedBar state={state} cursor={shown} />
      <dl className={css['state']}>
        <dt>Generation</dt>
        <dd>{told(state.generation)}</dd>
        <dt>Floor</dt>
        <dd>{told(state.floor)}</dd>
        <dt>Head</dt>
        <dd>{told(state.head)}</dd>
        <dt>Holes</dt>
        <dd>{holesWords(state.holes)}</dd>
        <dt>Cursors</dt>
        <dd>{cursors.length === 0 ? 'no connection' : cursors.map(([conn, position]) => `${conn} at ${position}`).join(', ')}</dd>
      </dl>
    </section>
  );
}

function holesWords(holes: Step['state']['holes']): string {
  if (holes.length === 0) return 'none';
  const shown = holes.slice(0, 4).map(([first, last]) => rangeOf(first, last));
  return `${shown.join(', ')}${holes.length > 4 ? ` and ${holes.length - 4} more` : ''}`;
}

function ProofSection({ attempt }: { readonly attempt: Attempt }) {
  const { decision } = attempt;
  return (
    <section aria-label="Proof">
      <h2>Proof</h2>
      <dl className={css['did']}>
        <div>
          <dt>The server did</dt>
          <dd>{actWords(attempt)}</dd>
        </div>
        <div>
          <dt>The rules say</dt>
          <dd>{decision === null ? 'open: facts are missing' : `${decision.verdict}, ${decision.status}, ${decision.reason}`}</dd>
        </div>
      </dl>
      <VerdictBadge mark={attempt.mark} look="box" words={attempt.assessment} />
      <div className={css['say']}>
        <AttemptSentence attempt={attempt} />
      </div>
      <ProofLadderView attempt={attempt} />
      <p className={css['step']}>{nextStep(attempt)}</p>
      <p className={css['step']}>
        <TextLink href={`/attempts/${attempt.id}`}>All facts of this attempt</TextLink>
      </p>
    </section>
  );
}
