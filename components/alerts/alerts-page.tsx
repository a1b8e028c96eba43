'use client';

import { AlertSentenceView } from '@/components/alerts/alert-sentence-view';
import css from '@/components/alerts/alerts.module.css';
import { ChannelsSection } from '@/components/alerts/channels-section';
import { DeliveriesSection } from '@/components/alerts/deliveries-section';
import { NowSection } from '@/components/alerts/now-section';
import { RulesSection } from '@/components/alerts/rules-section';
import { SilencesSection } from '@/components/alerts/silences-section';
import { useAlerts } from '@/components/alerts/use-alerting';
import { TAB_NAMES, TABS, type Tab, useTab } from '@/components/alerts/use-tab';
import { TopBar } from '@/components/shell/top-bar';
import { useCountedTitle } from '@/components/shell/use-counted-title';
import { SightLink } from '@/components/sight/sight-link';
import { QueryFailure } from '@/components/states/query-failure';
import { buttonClass } from '@/components/ui/button';
import { TabRow } from '@/components/ui/tab-row';

/** Alerting: what fires, the rules behind it, where it is told, and what is kept quiet. */
export function AlertsPage() {
  const [tab, setTab] = useTab();
  const alerts = useAlerts();
  const firing = alerts.data?.items.filter(({ state, quiet }) => state === 'firing' && quiet === null).length ?? 0;
  useCountedTitle('Alerts', firing);
  return (
    <>
      <TopBar title="Alerts">
        <SightLink className={buttonClass({})} href="/alerts/new">
          New rule
        </SightLink>
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of alerts" query={alerts} />
        <AlertSentenceView alerts={alerts.data} />
        <div className={css['tabs']}>
          <TabRow
            label="Alerting"
            tabs={TABS}
            names={TAB_NAMES}
            chosen={tab}
            panel="alerting-panel"
            onChoose={(next) => void setTab(next)}
          />
        </div>
        <div id="alerting-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <Panel tab={tab} />
        </div>
      </main>
    </>
  );
}

function Panel({ tab }: { readonly tab: Tab }) {
  switch (tab) {
    case 'now':
      return <NowSection />;
    case 'rules':
      return <RulesSection />;
    case 'channels':
      return <ChannelsSection />;
    case 'deliveries':
      return <DeliveriesSection />;
    case 'silences':
      return <SilencesSection />;
  }
}
