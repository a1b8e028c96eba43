'use client';

import { formatCount } from '@/components/format/count';
import { TextLink } from '@/components/ui/text-link';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';
import css from '@/components/whatif/whatif.module.css';
import type { Mark } from '@/lib/resume/mark';
import type { Verdict } from '@/lib/resume/types';
import type { ChangedVerdict, WhatIfAnswer } from '@/lib/whatif/what-if';

const SHOWN_MAX = 50;
const MARK_OF_VERDICT: Readonly<Record<Verdict, Mark>> = {
  resume: 'resumed',
  refuse: 'refused',
  fresh: 'fresh',
  not_applicable: 'fresh',
};

interface ChangedVerdictsProps {
  readonly answer: Omit<WhatIfAnswer, 'items'> & { readonly items: readonly (ChangedVerdict & { readonly id?: string | null })[] };
  /** Leads to a record, where the answer is about records at hand. */
  readonly onSelect?: (index: number) => void;
}

/** What the change makes of the attempts: the sum in one sentence, then before and after side by side. */
export function ChangedVerdicts({ answer, onSelect }: ChangedVerdictsProps) {
  const { attempts, untested, changed, items, before, after } = answer;
  const tested = attempts - untested;
  return (
    <>
      <p className={css['sum']} data-testid="whatif-sum">
        <b>
          {formatCount(after.resume)} of {formatCount(tested)}
        </b>{' '}
        attempts would be whole replays (as recorded {formatCount(before.resume)}), {formatCount(after.refuse)} refused (
        {formatCount(before.refuse)}). {formatCount(changed)} {changed === 1 ? 'verdict changes' : 'verdicts change'}.
        {untested > 0 && ` ${formatCount(untested)} cannot be told: their records lack a fact, a size or an instant.`}
      </p>
      {items.length > 0 && (
        <table className={css['changes']} aria-label="Verdicts that change">
          <thead>
            <tr>
              <th scope="col">record</th>
              <th scope="col">as recorded</th>
              <th scope="col">under the change</th>
            </tr>
          </thead>
          <tbody>
            {items.slice(0, SHOWN_MAX).map((item) => (
              <tr key={item.index}>
                <td>
                  {onSelect === undefined ? (
                    <Place item={item} />
                  ) : (
                    <button type="button" className={css['goto']} onClick={() => onSelect(item.index)}>
                      {formatCount(item.index + 1)}
                    </button>
                  )}
                </td>
                {[item.before, item.after].map((outcome, side) => (
                  <td key={side === 0 ? 'before' : 'after'}>
                    <VerdictBadge mark={MARK_OF_VERDICT[outcome.verdict]} look="row" words={outcome.reason} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changed > SHOWN_MAX && <p className={css['faint']}>and {formatCount(changed - SHOWN_MAX)} more</p>}
    </>
  );
}

/** A stored attempt is named by its id and leads to its page. */
function Place({ item }: { readonly item: { readonly index: number; readonly id?: string | null } }) {
  if (item.id === undefined || item.id === null) return formatCount(item.index + 1);
  return <TextLink href={`/attempts/${item.id}`}>{item.id.slice(0, 8)}</TextLink>;
}
