import { FINDING_GROUPS, type FindingCode } from '@/lib/audit/finding';
import type { FindingCounts } from '@/lib/wire/responses';

/** The value of the filter `code` that lets findings of loss through. */
export const LOSS_QUERY = `code=${FINDING_GROUPS.loss.join(',')}`;

export interface LossCounts {
  readonly total: number;
  /** Codes that occurred, most first. */
  readonly codes: readonly { readonly code: FindingCode; readonly count: number }[];
}

/** How many findings prove a loss (contract section 5), by code. */
export function lossCounts({ codes }: Pick<FindingCounts, 'codes'>): LossCounts {
  const found = FINDING_GROUPS.loss.map((code) => ({ code, count: codes[code] ?? 0 })).filter(({ count }) => count > 0);
  return { total: found.reduce((sum, { count }) => sum + count, 0), codes: found.sort((a, b) => b.count - a.count) };
}
