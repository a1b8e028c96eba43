'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { useDebounced } from '@/components/alerts/use-debounced';
import { useServers } from '@/components/api/use-reads';
import { formatCount } from '@/components/format/count';
import { ProjectSelect } from '@/components/projects/project-select';
import { TopBar } from '@/components/shell/top-bar';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/field';
import { adviceOf } from '@/components/whatif/advice-of';
import { BacktestView } from '@/components/whatif/backtest-view';
import { type ChangeDraft, changeOf, isUnchanged, NO_CHANGE } from '@/components/whatif/change-draft';
import { ChangeFields } from '@/components/whatif/change-fields';
import { ChangedVerdicts } from '@/components/whatif/changed-verdicts';
import { RetentionCurve } from '@/components/whatif/retention-curve';
import { useChangeDraft } from '@/components/whatif/use-change-draft';
import { useBacktest, useRetentionAdvice, useServerWhatIf } from '@/components/whatif/use-server-what-if';
import css from '@/components/whatif/whatif.module.css';
import type { RetentionAdvice } from '@/lib/whatif/retention';

/** A slider rests this long before the server is asked. */
const REST_MS = 250;
const SECONDS_MAX = 3_600;

/** What another buffer, rule or pace would have made of a server's recorded attempts, how much to keep, and what enforcing would refuse. */
export function WhatIfPage() {
  const [range] = useTimeRange();
  const servers = useServers(range);
  const [asked, setAsked] = useQueryState('server', parseAsString.withOptions({ history: 'push' }));
  const names = servers.data?.items.map(({ server }) => server) ?? [];
  const server = asked ?? names[0] ?? null;
  const options = [...new Set([...(asked === null ? [] : [asked]), ...names])].map((name) => ({ value: name, text: name }));
  return (
    <>
      <TopBar title="What if">
        <ProjectSelect />
        <RangePicker />
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of servers" query={servers} />
        {servers.isPending && <Bone height={320} />}
        {servers.data !== undefined && server === null && (
          <Empty title="No server in this range">No record of any server arrived in it. Widen the range.</Empty>
        )}
        {server !== null && (
          <Tried key={server} server={server}>
            <div className={css['pick']}>
              <SelectField id="whatif-server" label="Server" value={server} options={options} onValue={(name) => void setAsked(name)} />
            </div>
          </Tried>
        )}
      </main>
    </>
  );
}

function Tried({ server, children }: { readonly server: string; readonly children: React.ReactNode }) {
  const [range] = useTimeRange();
  const [draft, setDraft] = useChangeDraft();
  const retention = useRetentionAdvice(server, range);
  const advice = useMemo(() => (retention.data?.advice == null ? null : adviceOf(retention.data.advice)), [retention.data]);
  return (
    <div className={css['page']}>
      <div>
        {children}
        <ChangeFields
          draft={draft}
          onChange={setDraft}
          eventsMax={eventsMaxOf(advice)}
          bytesMax={bytesMaxOf(advice)}
          secondsMax={SECONDS_MAX}
          hasClock
        />
        {!isUnchanged(draft) && <Button onClick={() => setDraft(NO_CHANGE)}>As it was</Button>}
        <Answer server={server} draft={draft} />
      </div>
      <div>
        <section className={css['part']} aria-label="Retention">
          <h2>How much to keep</h2>
          <QueryFailure what="The retention advice" query={retention} />
          {retention.isPending && <Bone height={180} />}
          {retention.data !== undefined && advice === null && (
            <p className={css['faint']}>No reconnect of this range asked the buffer for anything, so nothing can be measured.</p>
          )}
          {advice !== null && <RetentionCurve advice={advice} tried={draft.events} />}
          {retention.data?.basis === 'attempts' && (
            <p className={css['faint']}>The range holds too many records to read: measured by what each attempt itself reports.</p>
          )}
        </section>
        <Enforcing server={server} draft={draft} />
      </div>
    </div>
  );
}

const eventsMaxOf = (advice: RetentionAdvice | null): number => Math.max(256, (advice?.measuredUpTo ?? 0) * 2, (advice?.keptNow ?? 0) * 2);

function bytesMaxOf(advice: RetentionAdvice | null): number | null {
  const knee = advice?.knee;
  return knee === undefined || knee.bytes === null || knee.events === 0 ? null : (knee.bytes / knee.events) * eventsMaxOf(advice);
}

function Answer({ server, draft }: { readonly server: string; readonly draft: ChangeDraft }) {
  const [range] = useTimeRange();
  const change = useDebounced(changeOf(draft), REST_MS);
  const { answer, progress, callOff } = useServerWhatIf(server, range, change);
  // What was there before is of another change and says nothing of this one.
  const isCalledOff = !answer.isFetching && !answer.isError && (answer.isPending || answer.isPlaceholderData);
  if (Object.keys(change).length === 0)
    return (
      <p className={css['faint']}>
        Move a slider or choose a rule: the attempts of the range are decided again as if it had been in force.
      </p>
    );
  return (
    <section className={css['part']} aria-label="Verdicts under the change" aria-busy={answer.isFetching}>
      <QueryFailure what="The what-if" query={answer} />
      {answer.isFetching && (
        <p className={css['faint']} role="status">
          {formatCount(progress?.done ?? 0)} attempts decided again, {formatCount(progress?.changed ?? 0)} changed.{' '}
          <Button onClick={callOff}>Call off</Button>
        </p>
      )}
      {answer.isPending && answer.isFetching && <Bone height={80} />}
      {isCalledOff && <p className={css['faint']}>Called off. Change something to begin again.</p>}
      {answer.data !== undefined && !isCalledOff && <ChangedVerdicts answer={answer.data} />}
    </section>
  );
}

function Enforcing({ server, draft }: { readonly server: string; readonly draft: ChangeDraft }) {
  const [range] = useTimeRange();
  const backtest = useBacktest(server, range, draft.floor);
  return (
    <section className={css['part']} aria-label="Backtest">
      <h2>What enforcement would have refused</h2>
      <QueryFailure what="The backtest" query={backtest} />
      {backtest.isPending && <Bone height={80} />}
      {backtest.data !== undefined && <BacktestView backtest={backtest.data} />}
    </section>
  );
}
