import type { ExportSource } from '@/components/table/export-list';
import type { StoredFinding } from '@/lib/audit/answer-schema';

/** The columns of findings as comma-separated values. */
export const FINDING_EXPORT: ExportSource<StoredFinding>['columns'] = [
  { head: 'at', value: (one) => one.at },
  { head: 'code', value: (one) => one.code },
  { head: 'severity', value: (one) => one.severity },
  { head: 'blame', value: (one) => one.blame },
  { head: 'count', value: (one) => one.count },
  { head: 'exact', value: (one) => String(one.exact) },
  { head: 'server', value: (one) => one.server },
  { head: 'session', value: (one) => one.session },
  { head: 'stream', value: (one) => one.stream },
  { head: 'conn', value: (one) => one.conn },
  { head: 'first', value: (one) => one.first },
  { head: 'last', value: (one) => one.last },
  { head: 'message', value: (one) => one.message },
  { head: 'next_step', value: (one) => one.next_step },
  { head: 'consequences', value: (one) => one.consequences.map(({ message }) => message).join(' ') },
  { head: 'id', value: (one) => one.id },
];
