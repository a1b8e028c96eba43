import { countOf, formatCount } from '@/components/format/count';
import { TextLink } from '@/components/ui/text-link';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';
import { backtestSentence } from '@/components/whatif/backtest-words';
import css from '@/components/whatif/whatif.module.css';
import type { Mark } from '@/lib/resume/mark';
import type { BacktestResult } from '@/lib/whatif/answer-schema';

const SHOWN_MAX = 5;

/** What enforcement would have done to recorded attempts: the sentence, the sums, the reasons, the first of them. */
export function BacktestView({ backtest }: { readonly backtest: BacktestResult }) {
  const rows: readonly { readonly mark: Mark; readonly words: string; readonly count: number }[] = [
    { mark: 'unsafe_resume', words: 'newly refused', count: backtest.newly_refused },
    { mark: 'refused', words: 'refused by both', count: backtest.still_refused },
    { mark: 'over_refusal', words: 'refused by the server alone', count: backtest.over_refused },
    { mark: 'resumed', words: 'resumed by both', count: backtest.still_resumed },
    { mark: 'unverifiable', words: 'cannot be judged, pass', count: backtest.unverifiable },
    { mark: 'fresh', words: 'without a cursor', count: backtest.not_applicable },
  ];
  const reasons = Object.entries(backtest.newly_refused_by_reason).sort((a, b) => b[1] - a[1]);
  return (
    <>
      <p className={css['sum']} data-testid="backtest-sum">
        {backtestSentence(backtest)}
      </p>
      <table className={css['changes']} aria-label="What enforcement would have done">
        <tbody>
          {rows.map(({ mark, words, count }) => (
            <tr key={words}>
              <th scope="row">
                <VerdictBadge mark={mark} look="row" words={words} />
              </th>
              <td>{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {reasons.length > 0 && (
        <p className={css['faint']}>
          By reason:{' '}
          {reasons.map(([reason, count], place) => (
            <span key={reason}>
              {place > 0 && ', '}
              <code>{reason}</code> {formatCount(count)}
            </span>
          ))}
          .
        </p>
      )}
      {backtest.items.length > 0 && (
        <ul className={css['faint']}>
          {backtest.items.slice(0, SHOWN_MAX).map((id) => (
            <li key={id}>
              <TextLink href={`/attempts/${id}`}>{id.slice(0, 13)}</TextLink>
            </li>
          ))}
          {backtest.items.length > SHOWN_MAX && <li>and {countOf(backtest.newly_refused - SHOWN_MAX, 'more attempt')}</li>}
        </ul>
      )}
    </>
  );
}
