'use client';

import { ApiFailure } from '@/components/api/api-failure';
import { useAttemptsChart } from '@/components/api/use-attempts-chart';
import { useServer } from '@/components/api/use-server';
import { AttemptsSection } from '@/components/overview/attempts-section';
import { NewestFindings } from '@/components/overview/newest-findings';
import two from '@/components/overview/overview.module.css';
import { AdviceSection } from '@/components/server/advice-section';
import { ClientsSection } from '@/components/server/clients-section';
import { GenerationsSection } from '@/components/server/generations-section';
import { NamesSection } from '@/components/server/names-section';
import { RetentionSection } from '@/components/server/retention-section';
import { ServerHead } from '@/components/server/server-head';
import css from '@/components/server/server-page.module.css';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { RangePicker } from '@/components/time-range/range-picker';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { TextLink } from '@/components/ui/text-link';
import type { ServerDetail } from '@/lib/wire/responses';

/** One server: what it does to its clients, what it keeps against what they need, and what to do. */
export function ServerPage({ name }: { readonly name: string }) {
  const [range] = useTimeRange();
  const server = useServer(name, range);
  const isUnknown = server.error instanceof ApiFailure && server.error.status === 404;
  return (
    <>
      <TopBar title={name} parent={{ href: '/servers', name: 'Servers' }}>
        <RangePicker />
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown ? (
          <Empty title="No server has this name" acts={<TextLink href="/servers">All servers</TextLink>}>
            No record names it. Names are told apart by their case.
          </Empty>
        ) : (
          <QueryFailure what="The server" query={server} />
        )}
        {server.isPending && (
          <div className={css['bones']}>
            <Bone height={90} />
            <Bone height={300} />
          </div>
        )}
        {server.data !== undefined && !isUnknown && (
          <Held queries={[server]}>
            <Whole detail={server.data} />
          </Held>
        )}
      </main>
    </>
  );
}

function Whole({ detail }: { readonly detail: ServerDetail }) {
  const [range] = useTimeRange();
  const chart = useAttemptsChart(range, detail.server);
  return (
    <>
      <ServerHead detail={detail} />
      <div className={two['two']}>
        <AttemptsSection reads={chart} />
        <AdviceSection detail={detail} />
      </div>
      <div className={two['two']}>
        <ClientsSection detail={detail} />
        <RetentionSection retention={detail.retention} />
      </div>
      <div className={two['two']}>
        <GenerationsSection detail={detail} />
        <NewestFindings server={detail.server} />
      </div>
      <NamesSection detail={detail} />
    </>
  );
}
