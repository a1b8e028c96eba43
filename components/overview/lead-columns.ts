import { formatCount } from '@/components/format/count';
import type { Summary } from '@/lib/wire/responses';

/** One column of the picture of leads. `lost`: below the floor; `close`: a few events from it. */
export interface LeadColumn {
  readonly key: string;
  readonly zone: 'lost' | 'close' | 'clear';
  /** Its leads in full, and as short as a tick. */
  readonly words: string;
  readonly short: string;
  readonly attempts: number;
}

/** Leads under this many events are told as close: a burst of that size takes them. */
const CLOSE_BELOW = 8;
/** Columns that are drawn even when nothing reaches them, so that few data do not look wide. */
const COLUMNS_MIN = 9;

type Leads = Summary['leads'];

/** The leads as columns: what is lost first, then from the floor up, to the largest that occurred. */
export function leadColumns({ below, sizes }: Leads): LeadColumn[] {
  const last = sizes.findLastIndex(({ attempts }) => attempts > 0);
  return [
    { key: 'lost', zone: 'lost', words: 'below the floor', short: 'lost', attempts: below },
    ...sizes.slice(0, Math.max(last + 1, COLUMNS_MIN)).map(({ from, to, attempts }) => ({
      key: String(from),
      zone: from < CLOSE_BELOW ? ('close' as const) : ('clear' as const),
      words: to === null ? `${formatCount(from)} and more` : from === to ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`,
      short: from >= 1_024 ? `${from / 1_024}k` : String(from),
      attempts,
    })),
  ];
}

/** Attempts that were served whole with a lead of under eight events. */
export function closeLeads({ sizes }: Leads): number {
  return sizes.filter(({ from }) => from < CLOSE_BELOW).reduce((sum, { attempts }) => sum + attempts, 0);
}
