'use client';

import { memo } from 'react';
import css from '@/components/debugger/panes/panes.module.css';
import { markOfFinding } from '@/components/findings/finding-mark';
import { formatCount } from '@/components/format/count';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Finding } from '@/lib/audit/finding';

interface FindingsPaneProps {
  readonly findings: readonly Finding[];
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}

const SHOWN_MAX = 40;

/** What the records prove, each leading to the record that proved it. */
export const FindingsPane = memo(function FindingsPane({ findings, selected, onSelect }: FindingsPaneProps) {
  return (
    <section aria-label="Findings">
      <h2>
        Findings <span className={css['faint']}>{formatCount(findings.length)}</span>
      </h2>
      {findings.length === 0 && <p className={css['quiet']}>These records prove no fault.</p>}
      <ul className={css['found']}>
        {findings.slice(0, SHOWN_MAX).map((finding) => (
          <li key={`${finding.code} ${finding.index} ${finding.first} ${finding.conn}`}>
            <button type="button" aria-pressed={finding.index === selected} title={finding.message} onClick={() => onSelect(finding.index)}>
              <VerdictMark mark={markOfFinding(finding.code)} />
              <code>{finding.code}</code>
              <span>
                {formatCount(finding.count)}, record {formatCount(finding.index + 1)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {findings.length > SHOWN_MAX && (
        <p className={css['quiet']}>and {formatCount(findings.length - SHOWN_MAX)} more; F leads through all.</p>
      )}
    </section>
  );
});
