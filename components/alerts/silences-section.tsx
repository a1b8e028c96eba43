'use client';

import { useQueryState } from 'nuqs';
import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { matchersText } from '@/components/alerts/matcher-text';
import { SilenceForm } from '@/components/alerts/silence-form';
import { useAlertingChange, useSilences } from '@/components/alerts/use-alerting';
import { changeJson } from '@/components/api/get-json';
import { countOf } from '@/components/format/count';
import { durationWords, fullInstant } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import type { InhibitionItem, SilenceItem } from '@/lib/alerting/answer-schema';

/** What is kept quiet: silences that people set, and causes that keep their symptoms quiet. */
export function SilencesSection() {
  const silences = useSilences();
  const [match] = useQueryState('match');
  const items = silences.data?.items;
  const end = useAlertingChange((id: string) => changeJson('DELETE', `/api/v1/alerts/silences/${id}`));
  return (
    <div className={css['body']}>
      <QueryFailure what="The list of silences" query={silences} />
      <section aria-label="New silence">
        <SectionHead title="New silence" sub="what matches is followed and shown, and not told" />
        <SilenceForm key={match ?? ''} match={match ?? ''} />
      </section>
      <section aria-label="Silences">
        <SectionHead title={items === undefined ? 'Silences' : countOf(items.length, 'silence')} sub="in force or to come" />
        {items === undefined && silences.isPending && <Bone height={80} />}
        {items?.length === 0 && (
          <Empty title="Nothing is silenced">Every alert that fires is told, unless its cause is told already.</Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <Scroller label="Silences" className={css['scroll']}>
            <table className={css['table']}>
              <thead>
                <tr>
                  <th scope="col">Matches</th>
                  <th scope="col">Until</th>
                  <th scope="col" className={css['wide']}>
                    Why, by whom
                  </th>
                  <th scope="col" className={cx(css['right'], css['wide'])}>
                    Kept quiet now
                  </th>
                  <th scope="col" className={css['right']}>
                    <span className={css['wide']}>Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((silence) => (
                  <SilenceRow key={silence.id} silence={silence} isBusy={end.isPending} onEnd={() => end.mutate(silence.id)} />
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
        <ChangeFailure what="The silence could not be ended:" cause={end.error} />
      </section>
      {silences.data !== undefined && <Inhibitions inhibitions={silences.data.inhibitions} />}
    </div>
  );
}

interface SilenceRowProps {
  readonly silence: SilenceItem;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}

function SilenceRow({ silence, isBusy, onEnd }: SilenceRowProps) {
  const now = useNow();
  const startsIn = Date.parse(silence.starts_at) - now;
  const endsAt = Date.parse(silence.ends_at);
  const when = startsIn > 0 ? `from in ${durationWords(startsIn)}` : `${durationWords(Math.max(0, endsAt - now))} left`;
  return (
    <tr>
      <td>
        <code>{matchersText(silence.matchers)}</code>
      </td>
      <td title={fullInstant(endsAt)}>{when}</td>
      <td className={cx(css['wide'], css['soft'])}>
        {silence.comment}, {silence.author}
      </td>
      <td className={cx(css['right'], css['wide'])}>{countOf(silence.quiet, 'alert')}</td>
      <td className={css['right']}>
        <ChangeButton disabled={isBusy} onClick={onEnd} aria-label={`End the silence ${matchersText(silence.matchers)}`}>
          End
        </ChangeButton>
      </td>
    </tr>
  );
}

function Inhibitions({ inhibitions }: { readonly inhibitions: readonly InhibitionItem[] }) {
  return (
    <section aria-label="Causes and symptoms">
      <SectionHead title="Causes and symptoms" sub="while a cause fires, its symptoms with the same labels are not told" />
      <Scroller label="Causes and symptoms" className={css['scroll']}>
        <table className={css['table']}>
          <thead>
            <tr>
              <th scope="col">While this fires</th>
              <th scope="col">this is not told</th>
              <th scope="col">of the same</th>
            </tr>
          </thead>
          <tbody>
            {inhibitions.map(({ source, target, equal }) => (
              <tr key={`${matchersText(source)} ${matchersText(target)}`}>
                <td>
                  <code>{matchersText(source)}</code>
                </td>
                <td>
                  <code>{matchersText(target)}</code>
                </td>
                <td className={css['soft']}>{equal.join(', ') || 'any'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  );
}
