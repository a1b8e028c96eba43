'use client';

import Link from 'next/link';
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
import { QueryFailure } from '@/components/states/query-failure';
import { buttonClass } from '@/components/ui/button';
import { neighbourTab } from '@/components/ui/neighbour-tab';

/** Alerting: what fires, the rules behind it, where it is told, and what is kept quiet. */
export function AlertsPage() {
  const [tab, setTab] = useTab();
  const alerts = useAlerts();
  const firing = alerts.data?.items.filter(({ state, quiet }) => state === 'firing' && quiet === null).length ?? 0;
  useCountedTitle('Alerts', firing);
  return (
    <>
      <TopBar title="Alerts">
        <Link className={buttonClass({})} href="/alerts/new">
          New rule
        </Link>
      </TopBar>
      <main id="content">
        <QueryFailure what="The list of alerts" query={alerts} />
        <AlertSentenceView alerts={alerts.data} />
        <div className={css['tabs']} role="tablist" aria-label="Alerting">
          {TABS.map((one) => (
            <button
              key={one}
              id={`tab-${one}`}
              type="button"
              role="tab"
              className={css['tab']}
              aria-selected={one === tab}
              aria-controls="alerting-panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => void setTab(one)}
              onKeyDown={(event) => {
                const next = neighbourTab(TABS, one, event.key);
                if (next === null) return;
                void setTab(next);
                document.getElementById(`tab-${next}`)?.focus();
              }}
            >
              {TAB_NAMES[one]}
            </button>
          ))}
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
