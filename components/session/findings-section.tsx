import type { UseQueryResult } from '@tanstack/react-query';
import { markOfFinding } from '@/components/findings/finding-mark';
import { formatCount } from '@/components/format/count';
import css from '@/components/session/findings-section.module.css';
import { QueryFailure } from '@/components/states/query-failure';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { SessionFindings } from '@/lib/audit/answer-schema';

interface FindingsProps {
  readonly query: UseQueryResult<SessionFindings>;
  /** Index of the selected record. */
  readonly selected: number;
  readonly onSelect: (record: number) => void;
}

/** What the records of the session prove, worst first as the audit tells it; a finding leads to the record that proves it. */
export function FindingsSection({ query, selected, onSelect }: FindingsProps) {
  const { data } = query;
  return (
    <section aria-label="Findings">
      <h2>
        Findings{' '}
        {data !== undefined && (
          <span className={css['count']}>
            {formatCount(data.items.length)} from {formatCount(data.records)} records
          </span>
        )}
      </h2>
      <QueryFailure what="The findings" query={query} />
      {data?.items.length === 0 && (
        <p className={css['none']}>These records prove no fault. Faults across sessions need the records of all of them.</p>
      )}
      <ul className={css['list']}>
        {data?.items.map((finding) => (
          <li key={`${finding.code} ${finding.index} ${finding.conn} ${finding.first}`}>
            <button type="button" className={css['item']} aria-pressed={finding.index === selected} onClick={() => onSelect(finding.index)}>
              <VerdictMark mark={markOfFinding(finding.code)} />
              <span>
                <span className={css['head']}>
                  <code>{finding.code}</code>
                  <span>
                    {finding.blame}, record {formatCount(finding.index + 1)}
                  </span>
                </span>
                <span className={css['words']}>{finding.message}</span>
                {finding.consequences.map(({ kind, message }) => (
                  <span key={`${kind} ${message}`} className={css['words']}>
                    {message}
                  </span>
                ))}
                <span className={css['next']}>{finding.next_step}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {data?.is_whole === false && <p className={css['none']}>Only the first {formatCount(data.records)} records were audited.</p>}
    </section>
  );
}
