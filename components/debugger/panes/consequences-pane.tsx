'use client';

import css from '@/components/debugger/panes/panes.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { markOfFinding } from '@/components/findings/finding-mark';
import { countOf, formatCount } from '@/components/format/count';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Finding } from '@/lib/audit/finding';
import { concernsAttempt } from '@/lib/replay/explain';

interface ConsequencesPaneProps {
  readonly scene: Scene;
  readonly index: number;
  readonly onSelect: (index: number) => void;
}

/** What the attempt at the playhead lost or doubled and which calls that hurt; elsewhere, what this very record proves. */
export function ConsequencesPane({ scene, index, onSelect }: ConsequencesPaneProps) {
  const record = scene.history.records[index];
  const found = scene.findings.filter((finding) =>
    record?.type === 'resume_attempt'
      ? concernsAttempt(finding, index, record)
      : finding.index === index || finding.records.includes(index),
  );
  if (found.length === 0) return null;
  const calls = found.reduce((sum, { consequences }) => sum + consequences.length, 0);
  return (
    <section aria-label="Consequences">
      <h2>
        Consequences{' '}
        <span className={css['faint']}>
          {countOf(found.length, 'finding')}
          {calls > 0 && `, ${countOf(calls, 'effect')} on calls and lists`}
        </span>
      </h2>
      <ul className={css['effects']}>
        {found.slice(0, 8).map((finding) => (
          <Effect key={`${finding.code} ${finding.index} ${finding.first} ${finding.conn}`} finding={finding} onSelect={onSelect} />
        ))}
        {found.length > 8 && <li className={css['quiet']}>and {formatCount(found.length - 8)} more findings</li>}
      </ul>
    </section>
  );
}

function Effect({ finding, onSelect }: { readonly finding: Finding; readonly onSelect: (index: number) => void }) {
  return (
    <li>
      <VerdictMark mark={markOfFinding(finding.code)} size={10} />
      <span>
        <button type="button" className={css['code']} onClick={() => onSelect(finding.index)} title={`Go to record ${finding.index + 1}`}>
          {finding.code}
        </button>{' '}
        {finding.message}
        {finding.consequences.map(({ kind, message }) => (
          <b key={`${kind} ${message}`}> {message}</b>
        ))}
      </span>
    </li>
  );
}
