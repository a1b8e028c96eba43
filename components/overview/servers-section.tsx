'use client';

import { countOf } from '@/components/format/count';
import { byTrouble, worstMark } from '@/components/overview/server-trouble';
import { ServersTable } from '@/components/overview/servers-table';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import type { ServerItem } from '@/lib/wire/responses';

const SHOWN = 8;

/** The servers that need a look first; the whole list is a page of its own. */
export function ServersSection({ servers }: { readonly servers: readonly ServerItem[] | undefined }) {
  if (servers === undefined) {
    return (
      <div>
        <Bone height={220} />
      </div>
    );
  }
  const troubled = servers.filter((server) => ['unsafe_resume', 'bad_replay', 'over_refusal'].includes(worstMark(server))).length;
  return (
    <section aria-label="Servers by trouble">
      <SectionHead
        title="Servers by trouble"
        sub={`${countOf(servers.length, 'server')} seen, ${troubled} with faults`}
        acts={<TextLink href="/servers">All servers</TextLink>}
      />
      {servers.length === 0 ? (
        <Empty title="No server in this range">No record of any server arrived in it. Widen the range.</Empty>
      ) : (
        <ServersTable servers={byTrouble(servers).slice(0, SHOWN)} />
      )}
    </section>
  );
}
