'use client';

import { markOfFinding } from '@/components/findings/finding-mark';
import { FINDING_CODES } from '@/components/findings/use-finding-filters';
import { countOf, formatCount } from '@/components/format/count';
import css from '@/components/overview/findings-by-kind.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { SectionHead } from '@/components/ui/section-head';
import { markColour } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { SEVERITIES } from '@/lib/audit/finding';
import type { FindingCounts } from '@/lib/wire/responses';

const SHOWN = 8;

/** How many findings of each kind the range has, most first; each leads to its list. */
export function FindingsByKind({ counts }: { readonly counts: FindingCounts }) {
  const kinds = FINDING_CODES.map((code) => ({ code, count: counts.codes[code] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, SHOWN);
  const highest = Math.max(1, ...kinds.map(({ count }) => count));
  return (
    <section aria-label="Findings by kind">
      <SectionHead title="Findings by kind" sub={severityWords(counts)} />
      {kinds.length === 0 && <p className={css['none']}>None in this range.</p>}
      <ul className={css['rows']}>
        {kinds.map(({ code, count }) => (
          <li key={code}>
            <SightLink className={css['row']} href={`/findings?code=${code}`}>
              <VerdictMark mark={markOfFinding(code)} />
              <code title={code}>{code}</code>
              <span className={css['track']}>
                <i style={{ width: `${(count / highest) * 100}%`, background: markColour(markOfFinding(code)) }} />
              </span>
              <b>{formatCount(count)}</b>
            </SightLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

function severityWords({ total, severities }: FindingCounts): string {
  const parts = [...SEVERITIES].reverse().flatMap((severity) => {
    const count = severities[severity] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${severity}`];
  });
  return total === 0 ? 'faults that the records prove' : `${countOf(total, 'finding')}: ${parts.join(', ')}`;
}
