'use client';

import { ChangesSection } from '@/components/settings/changes-section';
import { KeysSection } from '@/components/settings/keys-section';
import { MembersSection } from '@/components/settings/members-section';
import { ProjectsSection } from '@/components/settings/projects-section';
import { RetentionSection } from '@/components/settings/retention-section';
import css from '@/components/settings/settings.module.css';
import { TAB_NAMES, TABS, type Tab, useTab } from '@/components/settings/use-tab';
import { YouSection } from '@/components/settings/you-section';
import { TopBar } from '@/components/shell/top-bar';
import { TabRow } from '@/components/ui/tab-row';
import { TextLink } from '@/components/ui/text-link';

/** What can be set up from the pages: oneself, members, keys, projects, retention; and who changed what. */
export function SettingsPage() {
  const [tab, setTab] = useTab();
  return (
    <>
      <TopBar title="Settings" />
      <main id="content">
        <div className={css['bar']}>
          <TabRow
            label="Settings"
            tabs={TABS}
            names={TAB_NAMES}
            chosen={tab}
            panel="settings-panel"
            onChoose={(next) => void setTab(next)}
          />
          <span className={css['elsewhere']}>
            <TextLink href="/proxy-routes">Routes</TextLink>
            <TextLink href="/alerts?tab=rules">Alert rules</TextLink>
          </span>
        </div>
        <div id="settings-panel" className={css['body']} role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <Panel tab={tab} />
        </div>
      </main>
    </>
  );
}

function Panel({ tab }: { readonly tab: Tab }) {
  switch (tab) {
    case 'you':
      return <YouSection />;
    case 'members':
      return <MembersSection />;
    case 'keys':
      return <KeysSection />;
    case 'projects':
      return <ProjectsSection />;
    case 'retention':
      return <RetentionSection />;
    case 'changes':
      return <ChangesSection />;
  }
}
