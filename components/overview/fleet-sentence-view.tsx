'use client';

import { useNow } from '@/components/format/use-now';
import { fleetSentence, sentenceText } from '@/components/overview/fleet-sentence';
import css from '@/components/overview/fleet-sentence-view.module.css';
import { lossCounts } from '@/components/overview/loss-findings';
import { SentenceActs } from '@/components/overview/sentence-acts';
import { incidentLeadWords } from '@/components/overview/sentence-leads';
import { useCountedTitle } from '@/components/shell/use-counted-title';
import { markTextColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Summary } from '@/lib/wire/responses';

/** The state of the fleet in words, with the way to what it speaks of. Also makes the page's title. */
export function FleetSentenceView({ summary }: { readonly summary: Summary }) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const sentence = fleetSentence(summary, minute);
  useCountedTitle('Overview', summary.totals.marks.unsafe_resume || lossCounts(summary.findings).total);
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
      {summary.worst_incident !== null && <p className={css['incident']}>{incidentLeadWords(summary.worst_incident)}</p>}
      <SentenceActs summary={summary} />
    </section>
  );
}
