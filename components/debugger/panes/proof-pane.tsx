'use client';

import { usePathname } from 'next/navigation';
import { AttemptSentence } from '@/components/attempts/attempt-detail';
import { actWords } from '@/components/attempts/attempt-facts-list';
import { nextStep } from '@/components/attempts/next-step';
import { LadderView } from '@/components/attempts/proof-ladder-view';
import { attemptOf } from '@/components/debugger/model/attempt-of';
import { nextTarget } from '@/components/debugger/model/jumps';
import css from '@/components/debugger/panes/panes.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { formatCount } from '@/components/format/count';
import { isBarePage } from '@/components/shell/bare-pages';
import { Bone } from '@/components/states/bone';
import { TextLink } from '@/components/ui/text-link';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

interface ProofPaneProps {
  readonly scene: Scene;
  readonly index: number;
  readonly onSelect: (index: number) => void;
}

/** Why the attempt at the playhead was right or wrong: what was done, what the rules say, and every row with its numbers. */
export function ProofPane({ scene, index, onSelect }: ProofPaneProps) {
  const marked = scene.marks.get(index);
  if (marked === undefined) return <Elsewhere scene={scene} index={index} onSelect={onSelect} />;
  const explanation = scene.explainer?.explain(index, scene.findings) ?? null;
  const record = scene.history.records[index];
  if (explanation === null || record?.type !== 'resume_attempt') {
    return (
      <section aria-label="Proof">
        <h2>Proof</h2>
        <Bone height={220} />
      </section>
    );
  }
  const attempt = attemptOf(record, explanation, marked.mark);
  const { decision, firstIllegal } = explanation;
  const applied = explanation.proof.find(({ outcome }) => outcome === 'applies');
  return (
    <section aria-label="Proof">
      <h2>
        Proof <span className={css['faint']}>the first row that applies wins</span>
      </h2>
      <dl className={css['did']}>
        <div>
          <dt>The server did</dt>
          <dd>
            <VerdictBadge mark={marked.mark} words={actWords(attempt)} />
          </dd>
        </div>
        <div>
          <dt>The rules say</dt>
          <dd>
            {decision === null ? (
              'open: facts are missing'
            ) : (
              <>
                <VerdictBadge mark={RULED[decision.verdict]} words={`${decision.verdict.replace('_', ' ')}, ${decision.status}`} />
                <br />
                <code>{decision.reason}</code>
                {applied !== undefined && `, row ${applied.row}`}
              </>
            )}
          </dd>
        </div>
      </dl>
      <div className={css['say']}>
        <AttemptSentence attempt={attempt} />
      </div>
      <LadderView rows={explanation.proof} mark={marked.mark} />
      {firstIllegal !== null && (
        <button type="button" className={css['illegal']} onClick={() => onSelect(firstIllegal.index)}>
          First illegal event: {illegalWords(firstIllegal.sentence, firstIllegal.index)}
        </button>
      )}
      <p className={css['next']}>{nextStep(attempt)}</p>
    </section>
  );
}

const RULED = { resume: 'resumed', refuse: 'refused', fresh: 'fresh', not_applicable: 'fresh' } as const;

/** Records are counted from 1 on the screen. */
const illegalWords = (sentence: string, index: number): string => sentence.replace(`Record ${index} `, `record ${formatCount(index + 1)} `);

function Elsewhere({ scene, index, onSelect }: ProofPaneProps) {
  const places = scene.attemptPlaces;
  // Who looks at a shared incident may go nowhere from it.
  const isShared = isBarePage(usePathname());
  const [before, after] = [nextTarget(places, index, -1), nextTarget(places, index, 1)];
  const go = (place: number, words: string) => (
    <button type="button" className={css['go']} onClick={() => onSelect(place)}>
      {words} {formatCount(place + 1)}
    </button>
  );
  return (
    <section aria-label="Proof">
      <h2>Proof</h2>
      <p className={css['quiet']}>
        {places.length === 0
          ? 'No resume attempt of this stream was recorded, so there is nothing to prove.'
          : 'The playhead is not on a resume attempt.'}
      </p>
      <p className={css['gos']}>
        {before !== null && go(before, 'Attempt before, record')}
        {after !== null && go(after, 'Next attempt, record')}
      </p>
      {places.length === 0 && scene.attempts.length > 0 && !isShared && <TextLink href="/attempts">All attempts</TextLink>}
    </section>
  );
}
