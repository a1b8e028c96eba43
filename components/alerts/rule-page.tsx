'use client';

import { useQueryState } from 'nuqs';
import css from '@/components/alerts/alerts.module.css';
import { HistorySection } from '@/components/alerts/history-section';
import { draftOf, NEW_DRAFT } from '@/components/alerts/rule-draft';
import { RuleEditor } from '@/components/alerts/rule-editor';
import { useRules } from '@/components/alerts/use-alerting';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';

const PARENT = { href: '/alerts?tab=rules', name: 'Alerts' };

/** One rule: how it is written, what it would have done, and what it did. Without a name, a new one. */
export function RulePage({ name }: { readonly name: string | null }) {
  const rules = useRules();
  const [copied] = useQueryState('from');
  const items = rules.data?.items;
  const wanted = name ?? copied;
  const item = items?.find(({ rule }) => rule.name === wanted);
  const isUnknown = items !== undefined && name !== null && item === undefined;
  return (
    <>
      <TopBar title={name ?? 'New rule'} parent={PARENT} />
      <main id="content">
        <QueryFailure what="The rule" query={rules} />
        {items === undefined && rules.isPending && (
          <div className={css['body']}>
            <Bone height={320} />
          </div>
        )}
        {isUnknown && (
          <Empty title={`There is no rule ${name}`} acts={<TextLink href="/alerts?tab=rules">All rules</TextLink>}>
            It may have been removed, or be spelt otherwise.
          </Empty>
        )}
        {items !== undefined && !isUnknown && (
          <RuleEditor
            key={wanted ?? ''}
            item={name === null ? null : (item ?? null)}
            start={item === undefined ? NEW_DRAFT : { ...draftOf(item.rule), ...(name === null ? { name: `${item.rule.name} copy` } : {}) }}
            taken={items.map(({ rule }) => rule.name)}
          />
        )}
        {name !== null && !isUnknown && (
          <div className={css['body']}>
            <HistorySection rule={name} />
          </div>
        )}
      </main>
    </>
  );
}
