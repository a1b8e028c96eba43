'use client';

import Link from 'next/link';
import { formatCount } from '@/components/format/count';
import { useNow } from '@/components/format/use-now';
import { fleetSentence, sentenceText } from '@/components/overview/fleet-sentence';
import css from '@/components/overview/fleet-sentence-view.module.css';
import { useSight } from '@/components/projects/use-sight';
import { useCountedTitle } from '@/components/shell/use-counted-title';
import { buttonClass } from '@/components/ui/button';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Summary } from '@/lib/wire/responses';

/** The state of the fleet in words, with the way to what it speaks of. Also makes the page's title. */
export function FleetSentenceView({ summary }: { readonly summary: Summary }) {
  const sight = useSight();
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const sentence = fleetSentence(summary, minute);
  const unsafe = summary.totals.marks.unsafe_resume;
  useCountedTitle('Overview', unsafe);
  return (
    <section className={css['say']} aria-label="State of the fleet">
      <p className={css['big']} data-testid="fleet-sentence">
        <VerdictMark mark={sentence.mark} size={17} />
        <span title={sentenceText(sentence)}>
          {sentence.parts.map((part) =>
            part.tone === 'plain' ? (
              part.text
            ) : (
              <b key={part.text} style={part.tone === 'loss' ? { color: markTextColour('unsafe_resume') } : undefined}>
                {part.text}
              </b>
            ),
          )}
        </span>
      </p>
      <p className={css['details']}>{sentence.details.join(' ')}</p>
      {unsafe > 0 && (
        <div className={css['acts']}>
          <Link className={buttonClass({ look: 'primary' })} href={`/attempts?${sight}&mark=unsafe_resume`}>
            Open {unsafe === 1 ? 'the unsafe resume' : `the ${formatCount(unsafe)} unsafe resumes`}
          </Link>
          {summary.losing.length > 1 && (
            <Link className={buttonClass({})} href={`/servers?${sight}`}>
              {formatCount(summary.losing.length)} servers
            </Link>
          )}
        </div>
      )}
    </section>
  );
}
