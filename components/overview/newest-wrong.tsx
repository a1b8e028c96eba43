'use client';

import { useNewestAttempts } from '@/components/api/use-reads';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { Age } from '@/components/format/age';
import css from '@/components/overview/newest-wrong.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';

const SHOWN = 6;
const FAULTS = 'unsafe_resume,bad_replay,over_refusal';

/** The newest attempts that went wrong, each with its sentence. */
export function NewestWrong() {
  const [range] = useTimeRange();
  const wrong = useNewestAttempts(range, { mark: FAULTS }, SHOWN);
  const items = wrong.data?.items ?? [];
  const isRead = wrong.isSuccess;
  return (
    <section aria-label="Newest attempts that went wrong">
      <SectionHead title="Newest that went wrong" acts={<TextLink href={`/attempts?mark=${FAULTS}`}>All of them</TextLink>} />
      <QueryFailure what="The list of attempts that went wrong" query={wrong} />
      {items.length === 0 && isRead && !wrong.isPlaceholderData && (
        <p className={css['none']}>No unsafe resume, bad replay or over-refusal in this range.</p>
      )}
      {wrong.isPending && <Bone height={180} />}
      <Held queries={[wrong]}>
        <ul className={css['list']}>
          {items.map((attempt) => (
            <li key={attempt.id}>
              <SightLink className={css['item']} href={`/attempts/${attempt.id}`}>
                <VerdictMark mark={attempt.mark} />
                <div>
                  <div className={css['head']}>
                    <code>{attempt.mark === 'unsafe_resume' ? (attempt.decision?.reason ?? attempt.assessment) : attempt.assessment}</code>
                    <span>{attempt.server}</span>
                    <Age at={attempt.at} />
                  </div>
                  <p>{sentenceOf(attempt)}</p>
                </div>
              </SightLink>
            </li>
          ))}
        </ul>
      </Held>
    </section>
  );
}
