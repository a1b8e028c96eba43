import { countOf, formatCount } from '@/components/format/count';
import { fullInstant, timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import css from '@/components/session/session-page.module.css';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS } from '@/lib/resume/mark';
import type { SessionDetail } from '@/lib/wire/responses';

/** What a session came to, and what is known of it. */
export function SessionHead({ session }: { readonly session: SessionDetail }) {
  const worst = MARKS.find((mark) => session.marks[mark] > 0) ?? 'fresh';
  return (
    <section className={css['head']} aria-label="Session">
      <div className={css['title']}>
        <VerdictMark mark={worst} size={13} />
        <div>
          <h2>{titleOf(session)}</h2>
          <p>
            {session.server}, {fullInstant(Date.parse(session.first_at)).slice(0, 19)} to {timeOfDay(Date.parse(session.last_at), 's')}{' '}
            {zoneName(Date.parse(session.last_at))}
          </p>
        </div>
      </div>
      <dl className={css['facts']}>
        <div>
          <dt>Records</dt>
          <dd>{formatCount(session.records)}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>
            <TextLink href={`/attempts?range=30d&session=${session.ref}`}>{formatCount(session.attempts)}</TextLink>
          </dd>
        </div>
        <div>
          <dt>Generations</dt>
          <dd>{session.generations.length === 0 ? 'not reported' : listed(session.generations)}</dd>
        </div>
        <div>
          <dt>Streams</dt>
          <dd>{session.streams.length > 3 ? formatCount(session.streams.length) : listed(session.streams)}</dd>
        </div>
      </dl>
    </section>
  );
}

const listed = (names: readonly string[]) =>
  names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

function titleOf({ marks, attempts }: SessionDetail): string {
  if (marks.unsafe_resume > 0) return `${countOf(marks.unsafe_resume, 'resume')} that had to be refused`;
  if (marks.bad_replay > 0) return `${countOf(marks.bad_replay, 'replay')} not as due`;
  if (marks.over_refusal > 0) return `${countOf(marks.over_refusal, 'refusal')} of cursors that could resume`;
  if (attempts === 0) return 'No resume attempt';
  if (marks.unverifiable === attempts) return 'No attempt could be judged';
  return 'Nothing went wrong that can be seen';
}
