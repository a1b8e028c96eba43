'use client';

import { useFindingFacets, useFindingList } from '@/components/api/use-findings';
import { FINDING_COLUMNS } from '@/components/findings/finding-columns';
import { FINDING_EXPORT } from '@/components/findings/finding-export';
import { FindingFacets } from '@/components/findings/finding-facets';
import { FindingPeek } from '@/components/findings/finding-peek';
import { NoFindings } from '@/components/findings/no-findings';
import {
  FINDING_LANGUAGE,
  findingFilters,
  findingParams,
  findingQuery,
  useFindingFilters,
} from '@/components/findings/use-finding-filters';
import { ListPage } from '@/components/table/list-page';
import type { View } from '@/components/table/saved-views';
import { useTimeRange } from '@/components/time-range/use-time-range';
import type { StoredFinding } from '@/lib/audit/answer-schema';

const VIEWS: readonly View[] = [
  { name: 'All findings', search: '' },
  { name: 'Critical', search: 'severity=critical' },
  { name: 'Loss', search: 'code=gap%2Clost_response%2Cmissignalled_caught_up%2Ccursor_lost%2Cids_not_on_wire%2Cstalled_delivery' },
  { name: 'Loops', search: 'code=reconnect_loop%2Cstream_flap%2Cstale_session_loop%2Corphaned_stream%2Czombie_holder' },
  { name: 'Laid at servers', search: 'blame=server' },
  { name: 'Laid at clients', search: 'blame=client' },
];

const idOf = (finding: StoredFinding) => finding.id;
const hrefOf = (id: string) => `/findings/${id}`;

/** Everything that the stored records prove, under filters that live in the URL, one of them beside the list. */
export function FindingsPage() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useFindingFilters();
  const params = findingParams(filters);
  const list = useFindingList(range, params);
  const total = useFindingFacets(range, params).data?.total ?? null;
  return (
    <ListPage
      title="Findings"
      noun="finding"
      list={list}
      columns={FINDING_COLUMNS}
      idOf={idOf}
      hrefOf={hrefOf}
      total={total}
      views={VIEWS}
      asked={{
        language: FINDING_LANGUAGE,
        query: findingQuery(filters),
        onQuery: (query) => setFilters(findingFilters(query)),
        placeholder: 'severity:critical -code:reconnect_loop server:payments-mcp',
      }}
      taken={{ path: '/api/v1/findings', params: params, columns: FINDING_EXPORT }}
      facets={<FindingFacets />}
      empty={<NoFindings />}
      peek={(id, onClose) => <FindingPeek id={id} onClose={onClose} />}
    />
  );
}
