'use client';

import { useQueryState } from 'nuqs';
import { AlertRow } from '@/components/alerts/alert-row';
import css from '@/components/alerts/alerts.module.css';
import { HistorySection } from '@/components/alerts/history-section';
import { useAlerts } from '@/components/alerts/use-alerting';
import { countOf } from '@/components/format/count';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { Button, buttonClass } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';
import type { AlertItem } from '@/lib/alerting/answer-schema';

const SEVERITY_ORDER: readonly AlertItem['severity'][] = ['critical', 'error', 'warning', 'info'];
const STATE_ORDER: readonly AlertItem['state'][] = ['firing', 'recovering', 'pending'];
/** Rows that are drawn at once; a flood is counted, not scrolled. */
const SHOWN_MAX = 200;

/** What fires, waits or recovers now, the most urgent first, and beside it what happened lately. */
export function NowSection() {
  const alerts = useAlerts();
  const [rule, setRule] = useQueryState('rule');
  const all = alerts.data?.items;
  const items = all?.filter((item) => rule === null || item.rule === rule);
  return (
    <div className={css['two']}>
      <section aria-label="Alerts now">
        <SectionHead
          title={items === undefined ? 'Alerts' : countOf(items.length, 'alert')}
          sub={rule === null ? 'firing, recovering or pending' : `of the rule ${rule}`}
          acts={rule !== null && <Button onClick={() => void setRule(null)}>Show all rules</Button>}
        />
        {items === undefined && alerts.isPending && <Bone height={160} />}
        {items?.length === 0 && <NoAlert rule={rule} />}
        {items !== undefined && items.length > 0 && (
          <ul className={css['alerts']}>
            {byUrgency(items)
              .slice(0, SHOWN_MAX)
              .map((item) => (
                <AlertRow key={`${item.rule} ${item.kind} ${JSON.stringify(item.labels)}`} alert={item} />
              ))}
          </ul>
        )}
        {items !== undefined && items.length > SHOWN_MAX && (
          <p className={css['foot']}>and {countOf(items.length - SHOWN_MAX, 'alert')} more</p>
        )}
      </section>
      <HistorySection rule={rule} />
    </div>
  );
}

function NoAlert({ rule }: { readonly rule: string | null }) {
  if (rule !== null) {
    return (
      <Empty
        title={`${rule} is quiet`}
        acts={
          <SightLink className={buttonClass({})} href={`/alerts/rules/${encodeURIComponent(rule)}`}>
            Open the rule
          </SightLink>
        }
      >
        Nothing of this rule fires, recovers or is pending now.
      </Empty>
    );
  }
  return <Empty title="Nothing fires">No rule is past its threshold now. The history beside says what fired before.</Empty>;
}

const byUrgency = (items: readonly AlertItem[]): AlertItem[] =>
  [...items].sort(
    (a, b) =>
      STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
      Number(a.quiet !== null) - Number(b.quiet !== null) ||
      SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
      (a.since < b.since ? -1 : 1),
  );
