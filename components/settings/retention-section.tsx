'use client';

import { type FormEvent, useId, useState } from 'react';
import { useDenial } from '@/components/access/use-denial';
import { changeJson } from '@/components/api/get-json';
import { countOf, formatCount } from '@/components/format/count';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ConfirmButton } from '@/components/settings/confirm-button';
import css from '@/components/settings/settings.module.css';
import { useRetention, useRetentionPlan, useSettingsChange } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { useToast } from '@/components/toast/toasts';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { SectionHead } from '@/components/ui/section-head';
import { bytesText } from '@/components/whatif/bytes-text';
import type { RetentionPlanBody, RetentionSettings } from '@/lib/wire/retention-responses';

const ORIGINS: Readonly<Record<RetentionSettings['origin'], string>> = {
  config: 'set in the configuration file, which is where it is changed',
  api: 'set here',
  default: 'as delivered',
};

/** How long rows are kept, how far back they go now, and what a change would remove. */
export function RetentionSection() {
  const retention = useRetention();
  const denial = useDenial('admin');
  const settings = retention.data;
  return (
    <section aria-label="Retention">
      <QueryFailure what="The retention" query={retention} />
      <SectionHead title="Retention" sub={settings === undefined ? '' : ORIGINS[settings.origin]} />
      {settings === undefined && retention.isPending && <Bone height={160} />}
      {settings !== undefined && (
        <>
          <dl className={css['facts']}>
            <dt>Records and attempts</dt>
            <dd>{countOf(settings.records_days, 'day')}</dd>
            <dt>Rollups, for charts and totals</dt>
            <dd>{countOf(settings.rollups_days, 'day')}</dd>
            <dt>Stored now</dt>
            <dd>
              {settings.oldest_day === null
                ? 'nothing'
                : `${countOf(settings.days, 'day')} back to ${settings.oldest_day}, ${bytesText(settings.bytes)}`}
            </dd>
          </dl>
          <p className={css['words']}>Whole days go when they are older. What an incident has pinned stays.</p>
          {denial !== null && denial !== '' && <p className={css['words']}>Changing it: {denial}</p>}
          {denial === null && settings.origin !== 'config' && <RetentionForm key={settings.records_days} settings={settings} />}
        </>
      )}
    </section>
  );
}

function RetentionForm({ settings }: { readonly settings: RetentionSettings }) {
  const id = useId();
  const [records, setRecords] = useState(String(settings.records_days));
  const [rollups, setRollups] = useState(String(settings.rollups_days));
  const [asked, ask] = useState<{ records: number; rollups: number } | null>(null);
  const show = useToast();
  const plan = useRetentionPlan(asked);
  const change = useSettingsChange((wanted: { records: number; rollups: number }) =>
    changeJson<RetentionPlanBody>('PUT', '/api/v1/settings/retention', {
      records_days: wanted.records,
      rollups_days: wanted.rollups,
      confirm: true,
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask({ records: Number(records), rollups: Number(rollups) });
  };
  const apply = () => {
    if (asked !== null) change.mutate(asked, { onSuccess: () => show({ key: 'retention', words: 'The retention is changed.' }) });
  };
  const removes = plan.data === undefined ? null : removalWords(plan.data);
  return (
    <form onSubmit={submit} aria-label="Retention">
      <div className={css['form']}>
        <TextField
          id={`${id}records`}
          label="Days of records"
          type="number"
          min={1}
          required
          value={records}
          onChange={(event) => setRecords(event.target.value)}
        />
        <TextField
          id={`${id}rollups`}
          label="Days of rollups"
          type="number"
          min={1}
          required
          hint="Not fewer than those of records"
          value={rollups}
          onChange={(event) => setRollups(event.target.value)}
        />
      </div>
      <div className={css['acts']}>
        <Button type="submit" disabled={plan.isFetching}>
          Count what would go
        </Button>
        {asked !== null && removes !== null && !plan.isError && (
          <ConfirmButton
            act="Keep them so long"
            question={`Keep records ${countOf(asked.records, 'day')} and rollups ${countOf(asked.rollups, 'day')}?`}
            disabled={change.isPending}
            onConfirm={apply}
          >
            {removes} What goes cannot be brought back.
          </ConfirmButton>
        )}
      </div>
      {asked !== null && removes !== null && !plan.isError && (
        <p className={css['words']} role="status">
          {removes}
        </p>
      )}
      <ChangeFailure what="It could not be counted:" cause={plan.error} />
      <ChangeFailure what="The retention was not changed:" cause={change.error} />
    </form>
  );
}

function removalWords({ attempts, records, rollup_rows, is_estimate, bytes, days }: RetentionPlanBody): string {
  if (attempts + records + rollup_rows === 0) return 'Nothing would go now.';
  const of = days.length === 0 ? '' : ` of ${countOf(days.length, 'day')} up to ${days.at(-1)}`;
  return `${is_estimate ? 'About ' : ''}${formatCount(attempts)} attempts, ${formatCount(records)} other records and ${formatCount(rollup_rows)} rows of rollups${of} would go: ${bytesText(bytes)}.`;
}
