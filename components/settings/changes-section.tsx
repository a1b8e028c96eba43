'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { fullInstant } from '@/components/format/instant';
import { changeText } from '@/components/settings/change-text';
import css from '@/components/settings/settings.module.css';
import { useChanges } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';

const ABOUT = [
  ['', 'everything'],
  ['member', 'members'],
  ['key', 'keys'],
  ['project', 'projects'],
  ['retention', 'retention'],
  ['proxy', 'routes'],
  ['share', 'shared incidents'],
] as const;

/** Who changed what of this installation, newest first. */
export function ChangesSection() {
  const [about, setAbout] = useQueryState('about', parseAsString.withDefault(''));
  const changes = useChanges(about === '' ? null : about);
  const items = changes.data?.pages.flatMap((page) => page.items);
  return (
    <section aria-label="Changes">
      <QueryFailure what="The change log" query={changes} />
      <SectionHead
        title="Changes"
        sub="newest first; nothing is ever taken out"
        acts={
          <select
            className={css['select']}
            aria-label="Changes of"
            value={about}
            onChange={(event) => void setAbout(event.target.value === '' ? null : event.target.value)}
          >
            {ABOUT.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        }
      />
      {items === undefined && changes.isPending && <Bone height={200} />}
      {items?.length === 0 && <Empty title="Nothing was changed">Keys, members, retention, routes: every change appears here.</Empty>}
      <ol className={css['changes']}>
        {items?.map((change) => (
          <li key={change.seq}>
            <time className={css['faint']} dateTime={change.at}>
              {fullInstant(Date.parse(change.at)).slice(0, 19)}
            </time>
            <span>
              <b>{change.actor}</b> <code>{change.action}</code> {change.subject}
              <br />
              <span className={css['soft']}>{changeText(change.from, change.to)}</span>
            </span>
          </li>
        ))}
      </ol>
      {changes.hasNextPage && (
        <div className={css['acts']}>
          <Button disabled={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
            Older changes
          </Button>
        </div>
      )}
    </section>
  );
}
