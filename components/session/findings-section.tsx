import type { UseQueryResult } from '@tanstack/react-query';
import { markOfFinding } from '@/components/findings/finding-mark';
import { formatCount } from '@/components/format/count';
import css from '@/components/session/findings-section.module.css';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { SessionFindings, StoredFinding } from '@/lib/audit/answer-schema';
import type { Finding } from '@/lib/audit/finding';

interface FindingsProps {
  readonly query: UseQueryResult<SessionFindings>;
  /** The same findings as the continuous audit stored them, each with a page of its own. */
  readonly stored: readonly StoredFinding[];
  /** Index of the selected record. */
  readonly selected: number;
  readonly onSelect: (record: number) => void;
}

/** What the records of the session prove, worst first as the audit tells it; a finding leads to the record that proves it. */
export function FindingsSection({ query, stored, selected, onSelect }: FindingsProps) {
  const { data } = query;
  const pages = new Map(stored.map((finding) => [keyOf(finding), finding.id]));
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
          <li key={`${finding.index} ${keyOf(finding)}`}>
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
            <ProofLink id={pages.get(keyOf(finding))} />
          </li>
        ))}
      </ul>
      {data?.is_whole === false && <p className={css['none']}>Only the first {formatCount(data.records)} records were audited.</p>}
    </section>
  );
}

function ProofLink({ id }: { readonly id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <p className={css['proof']}>
      <TextLink href={`/findings/${id}`}>The proof</TextLink>
    </p>
  );
}

/** What tells the findings of one session apart, whichever audit told them. */
function keyOf({ code, stream, conn, first, last }: Pick<Finding, 'code' | 'stream' | 'conn' | 'first' | 'last'>): string {
  return [code, stream, conn, first, last].join(' ');
}
