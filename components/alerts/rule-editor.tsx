'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { PreviewSection } from '@/components/alerts/preview-section';
import { type RuleDraft, ruleOfDraft } from '@/components/alerts/rule-draft';
import { RuleFields } from '@/components/alerts/rule-fields';
import { useAlertingChange, useChannels } from '@/components/alerts/use-alerting';
import { useDebounced } from '@/components/alerts/use-debounced';
import { changeJson } from '@/components/api/get-json';
import { SightLink } from '@/components/sight/sight-link';
import { useWithSight } from '@/components/sight/use-with-sight';
import { buttonClass } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import type { RuleItem } from '@/lib/alerting/answer-schema';
import type { RuleInput } from '@/lib/alerting/rule';

interface RuleEditorProps {
  /** The rule that is changed; null for a new one. */
  readonly item: RuleItem | null;
  readonly start: RuleDraft;
  /** Names that a new rule cannot have. */
  readonly taken: readonly string[];
}

const PREVIEW_AFTER_MS = 500;

/** The form of a rule beside what it would have done. */
export function RuleEditor({ item, start, taken }: RuleEditorProps) {
  const router = useRouter();
  const withSight = useWithSight();
  const [draft, setDraft] = useState(start);
  const channels = useChannels();
  const { rule, problems } = ruleOfDraft(draft);
  const previewed = useDebounced(rule, PREVIEW_AFTER_MS);
  const isTaken = item === null && taken.includes(draft.name);
  const isReadOnly = item?.is_read_only === true;
  // Within the change itself: a rule that is gone takes this form away, and with it whatever waits for its end.
  const leave = () => router.push(withSight('/alerts?tab=rules'));
  const save = useAlertingChange((input: RuleInput) => changeJson('PUT', pathOf(input.name), input).then(leave));
  const remove = useAlertingChange((name: string) => changeJson('DELETE', pathOf(name)).then(leave));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (rule !== null && !isTaken) save.mutate(rule);
  };
  return (
    <div className={css['edit']}>
      <form onSubmit={submit} aria-label="Rule">
        {item !== null && <OriginNotice item={item} />}
        <RuleFields
          draft={draft}
          problems={isTaken ? { ...problems, name: 'There is a rule of this name: open it to change it' } : problems}
          isNew={item === null}
          isReadOnly={isReadOnly}
          channels={(channels.data?.items ?? []).map(({ name }) => name)}
          onDraft={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
        <div className={css['acts']}>
          {!isReadOnly && (
            <ChangeButton type="submit" look="primary" disabled={rule === null || isTaken || save.isPending}>
              {item === null ? 'Make the rule' : 'Save'}
            </ChangeButton>
          )}
          {item?.origin === 'api' && (
            <ChangeButton disabled={remove.isPending} onClick={() => remove.mutate(item.rule.name)}>
              {item.overrides_preset ? 'Back to the preset' : 'Remove'}
            </ChangeButton>
          )}
          {item !== null && (
            <SightLink className={buttonClass({})} href={`/alerts/new?from=${encodeURIComponent(item.rule.name)}`}>
              Copy to a new rule
            </SightLink>
          )}
          {rule !== null && <CopyButton label="Copy as JSON" text={() => JSON.stringify(rule, null, 2)} />}
        </div>
        <ChangeFailure what="The rule could not be saved:" cause={save.error} />
        <ChangeFailure what="The rule could not be removed:" cause={remove.error} />
      </form>
      <PreviewSection rule={previewed} />
    </div>
  );
}

const pathOf = (name: string): string => `/api/v1/alerts/rules/${encodeURIComponent(name)}`;

function OriginNotice({ item }: { readonly item: RuleItem }) {
  if (item.is_read_only) {
    return (
      <p className={css['notice']} role="note">
        This rule is set in the configuration file: it is read here and changed there. What you change below is only previewed.
      </p>
    );
  }
  if (item.origin === 'preset') {
    return (
      <p className={css['notice']} role="note">
        This is a preset. Saving it makes a rule of its name that stands in its place; removing that rule brings the preset back.
      </p>
    );
  }
  return null;
}
