'use client';

import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { SeverityWord } from '@/components/alerts/severity';
import { StateWord } from '@/components/alerts/state-word';
import { useAlertingChange, useRules } from '@/components/alerts/use-alerting';
import { changeJson } from '@/components/api/get-json';
import { Age } from '@/components/format/age';
import { countOf, formatCount, listOf } from '@/components/format/count';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import { RULE_STATES, type RuleItem } from '@/lib/alerting/answer-schema';
import { ruleOf } from '@/lib/alerting/rule';
import { conditionOf } from '@/lib/alerting/wording';

const ORIGIN_WORDS: Readonly<Record<RuleItem['origin'], string>> = { preset: 'preset', config: 'file, read-only', api: 'made here' };

/** Every rule with how it stands, the most urgent first. */
export function RulesSection() {
  const rules = useRules();
  const items = rules.data?.items;
  const change = useAlertingChange(({ rule, enabled }: { rule: RuleItem['rule']; enabled: boolean }) =>
    changeJson('PUT', `/api/v1/alerts/rules/${encodeURIComponent(rule.name)}`, { ...rule, enabled }),
  );
  return (
    <div className={css['body']}>
      <section aria-label="Rules">
        <QueryFailure what="The list of rules" query={rules} />
        <SectionHead
          title={items === undefined ? 'Rules' : countOf(items.length, 'rule')}
          sub="presets are on by themselves; a rule of the same name replaces one"
        />
        {items === undefined && rules.isPending && <Bone height={320} />}
        {items !== undefined && (
          <Scroller label="Rules" className={css['scroll']}>
            <table className={css['table']}>
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">State</th>
                  <th scope="col" className={css['wide']}>
                    Severity
                  </th>
                  <th scope="col" className={css['wide']}>
                    Fires at
                  </th>
                  <th scope="col" className={css['wide']}>
                    Told to
                  </th>
                  <th scope="col" className={css['wide']}>
                    Origin
                  </th>
                  <th scope="col" className={css['right']}>
                    Fired, 7 days
                  </th>
                  <th scope="col" className={css['right']}>
                    <span className={css['wide']}>Switch</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {byState(items).map((item) => (
                  <RuleRow
                    key={item.rule.name}
                    item={item}
                    isBusy={change.isPending}
                    onSwitch={(enabled) => change.mutate({ rule: item.rule, enabled })}
                  />
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
        <ChangeFailure what="The rule could not be switched:" cause={change.error} />
      </section>
    </div>
  );
}

interface RuleRowProps {
  readonly item: RuleItem;
  readonly isBusy: boolean;
  readonly onSwitch: (enabled: boolean) => void;
}

function RuleRow({ item, isBusy, onSwitch }: RuleRowProps) {
  const rule = ruleOf(item.rule);
  return (
    <tr>
      <td>
        <SightLink className={css['ruleLink']} href={`/alerts/rules/${encodeURIComponent(rule.name)}`}>
          {rule.name}
        </SightLink>
      </td>
      <td>
        <StateWord state={item.state} />
      </td>
      <td className={css['wide']}>
        <SeverityWord severity={rule.severity} />
      </td>
      <td className={cx(css['wide'], css['soft'])}>
        <code>{conditionOf(rule)}</code>
      </td>
      <td className={cx(css['wide'], css['soft'])}>
        {rule.channels === null ? 'all channels' : rule.channels.length === 0 ? 'nobody' : listOf(rule.channels)}
        {rule.escalate !== null && `, then ${listOf(rule.escalate.channels)}`}
      </td>
      <td className={cx(css['wide'], css['faint'], css['nowrap'])}>{ORIGIN_WORDS[item.origin]}</td>
      <td className={css['right']}>
        {item.fired === 0 ? <span className={css['faint']}>0</span> : formatCount(item.fired)}
        {item.fired_at !== null && (
          <span className={css['faint']}>
            , <Age at={item.fired_at} />
          </span>
        )}
      </td>
      <td className={css['right']}>
        {!item.is_read_only && (
          <ChangeButton
            disabled={isBusy}
            onClick={() => onSwitch(!rule.enabled)}
            aria-label={`Switch ${rule.enabled ? 'off' : 'on'} ${rule.name}`}
          >
            {rule.enabled ? 'Switch off' : 'Switch on'}
          </ChangeButton>
        )}
      </td>
    </tr>
  );
}

const byState = (items: readonly RuleItem[]): RuleItem[] =>
  [...items].sort((a, b) => RULE_STATES.indexOf(a.state) - RULE_STATES.indexOf(b.state) || (a.rule.name < b.rule.name ? -1 : 1));
