'use client';

import Link from 'next/link';
import type { Attempt } from '@/components/api/attempt';
import { useNewestAttempts } from '@/components/api/use-reads';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { Age } from '@/components/format/age';
import css from '@/components/overview/newest-wrong.module.css';
import { rangeText } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';

const SHOWN = 6;

/** The newest attempts that went wrong, each with its sentence. */
export function NewestWrong() {
  const [range] = useTimeRange();
  const unsafe = useNewestAttempts(range, { assessment: 'unsafe_resume' }, SHOWN);
  const bad = useNewestAttempts(range, { assessment: 'bad_replay' }, SHOWN);
  const over = useNewestAttempts(range, { assessment: 'over_refusal' }, SHOWN);
  const items = newest([...(unsafe.data?.items ?? []), ...(bad.data?.items ?? []), ...(over.data?.items ?? [])]);
  const isRead = unsafe.isSuccess && bad.isSuccess && over.isSuccess;
  return (
    <section aria-label="Newest attempts that went wrong">
      <SectionHead title="Newest that went wrong" acts={<TextLink href={`/attempts?range=${rangeText(range)}`}>All attempts</TextLink>} />
      {items.length === 0 && isRead && <p className={css['none']}>No unsafe resume, bad replay or over-refusal in this range.</p>}
      <ul className={css['list']}>
        {items.map((attempt) => (
          <li key={attempt.id}>
            <Link className={css['item']} href={`/attempts/${attempt.id}`}>
              <VerdictMark mark={attempt.mark} />
              <div>
                <div className={css['head']}>
                  <code>{attempt.decision?.reason ?? attempt.assessment}</code>
                  <span>{attempt.server}</span>
                  <Age at={attempt.at} />
                </div>
                <p>{sentenceOf(attempt)}</p>
              </div>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function newest(attempts: readonly Attempt[]): Attempt[] {
  return [...attempts].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN);
}
