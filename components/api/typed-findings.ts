import type { SessionFindings } from '@/lib/audit/answer-schema';
import type { Finding } from '@/lib/audit/finding';

/** Findings as the API answers them, their consequences typed: it answers only what the audit found. */
export function typedFindings(items: SessionFindings['items']): readonly Finding[] {
  return items as readonly Finding[];
}
