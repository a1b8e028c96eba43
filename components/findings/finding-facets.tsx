'use client';

import { useFindingFacets } from '@/components/api/use-findings';
import { markOfFinding } from '@/components/findings/finding-mark';
import { FINDING_CODES, findingParams, useFindingFilters } from '@/components/findings/use-finding-filters';
import { Facet, toggled } from '@/components/table/facet';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { BLAMES, SEVERITIES } from '@/lib/audit/finding';

/** What the findings of the range are, with counts; each facet counts under the filters of the others. */
export function FindingFacets() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useFindingFilters();
  const severities = useFindingFacets(range, findingParams(filters, 'severity')).data?.severities;
  const codes = useFindingFacets(range, findingParams(filters, 'code')).data?.codes;
  const blames = useFindingFacets(range, findingParams(filters, 'blame')).data?.blames;
  const servers = useFindingFacets(range, findingParams(filters, 'server')).data?.servers;
  const names = servers?.map(({ server }) => server) ?? [];
  return (
    <>
      <Facet
        name="Severity"
        options={present([...SEVERITIES].reverse(), severities, filters.severity)}
        chosen={filters.severity ?? []}
        counts={countsOf(severities)}
        onToggle={(severity) => setFilters({ severity: toggled(filters.severity, severity) })}
      />
      <Facet
        name="Finding"
        options={mostFirst(present(FINDING_CODES, codes, filters.code), codes)}
        chosen={filters.code ?? []}
        counts={countsOf(codes)}
        onToggle={(code) => setFilters({ code: toggled(filters.code, code) })}
        markOf={markOfFinding}
      />
      <Facet
        name="Blame"
        options={present(BLAMES, blames, filters.blame)}
        chosen={filters.blame ?? []}
        counts={countsOf(blames)}
        onToggle={(blame) => setFilters({ blame: toggled(filters.blame, blame) })}
      />
      <Facet<string>
        name="Server"
        options={[...new Set([...names, ...(filters.server ?? [])])]}
        chosen={filters.server ?? []}
        counts={new Map(servers?.map(({ server, findings }) => [server, findings]))}
        onToggle={(server) => setFilters({ server: toggled(filters.server, server) })}
      />
    </>
  );
}

type Counts = Readonly<Record<string, number>> | undefined;

function present<T extends string>(members: readonly T[], counts: Counts, chosen: readonly T[] | null): T[] {
  return members.filter((member) => (counts?.[member] ?? 0) > 0 || (chosen ?? []).includes(member));
}

function mostFirst<T extends string>(members: readonly T[], counts: Counts): T[] {
  return [...members].sort((a, b) => (counts?.[b] ?? 0) - (counts?.[a] ?? 0));
}

const countsOf = (counts: Counts) => (counts === undefined ? undefined : new Map(Object.entries(counts)));
