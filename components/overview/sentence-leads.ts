import { countOf, formatCount } from '@/components/format/count';
import { LOSS_QUERY, lossCounts } from '@/components/overview/loss-findings';
import type { Summary } from '@/lib/wire/responses';

/** A way from the sentence to what it speaks of. */
export interface SentenceLead {
  readonly words: string;
  readonly href: string;
}

/**
 * Where the sentence leads, the first one first: the worst open incident, what is unsafe, what proves a loss, and the
 * lists of what is counted.
 */
export function sentenceLeads(summary: Summary): SentenceLead[] {
  const { worst_incident, open_incidents, losing } = summary;
  const unsafe = summary.totals.marks.unsafe_resume;
  const findings = lossCounts(summary.findings).total;
  return [
    ...(worst_incident === null ? [] : [{ words: 'Open the incident', href: `/incidents/${worst_incident.id}` }]),
    ...(unsafe === 0
      ? []
      : [
          {
            words: `Open ${unsafe === 1 ? 'the unsafe resume' : `the ${formatCount(unsafe)} unsafe resumes`}`,
            href: '/attempts?mark=unsafe_resume',
          },
        ]),
    ...(findings === 0 ? [] : [{ words: `${countOf(findings, 'finding')} of loss`, href: `/findings?${LOSS_QUERY}` }]),
    ...(open_incidents > 1 ? [{ words: `${formatCount(open_incidents)} open incidents`, href: '/incidents?state=open' }] : []),
    ...(losing.length > 1 ? [{ words: `${formatCount(losing.length)} servers`, href: '/servers' }] : []),
  ];
}

/** What the worst open incident is about and what to do: `payments-mcp loses events in silence. Next: …` */
export function incidentLeadWords({ title, next_step }: NonNullable<Summary['worst_incident']>): string {
  return `Open incident: ${title}.${next_step === null ? '' : ` Next: ${next_step}`}`;
}
