import type { Attempt } from '@/components/api/attempt';
import type { ExportSource } from '@/components/table/export-list';

/** The columns of attempts as comma-separated values: facts, what the rules say, what the server did. */
export const ATTEMPT_EXPORT: ExportSource<Attempt>['columns'] = [
  { head: 'at', value: (one) => one.at },
  { head: 'server', value: (one) => one.server },
  { head: 'node', value: (one) => one.node },
  { head: 'session', value: (one) => one.session },
  { head: 'stream', value: (one) => one.stream ?? 'get' },
  { head: 'conn', value: (one) => one.conn },
  { head: 'mark', value: (one) => one.mark },
  { head: 'assessment', value: (one) => one.assessment },
  { head: 'rules_verdict', value: (one) => one.decision?.verdict },
  { head: 'rules_reason', value: (one) => one.decision?.reason },
  { head: 'rules_status', value: (one) => one.decision?.status },
  { head: 'server_did', value: (one) => one.verdict },
  { head: 'status', value: (one) => one.status },
  { head: 'last_event_id', value: (one) => one.last_event_id },
  { head: 'cursor', value: (one) => one.cursor },
  { head: 'requested_generation', value: (one) => one.requested_generation },
  { head: 'generation', value: (one) => one.generation },
  { head: 'floor', value: (one) => one.floor },
  { head: 'head', value: (one) => one.head },
  { head: 'gap', value: (one) => one.decision?.gap?.count },
  { head: 'replayed', value: (one) => one.replayed?.count },
  { head: 'latency_ms', value: (one) => one.latency_ms },
  { head: 'client', value: (one) => one.client?.name },
  { head: 'client_version', value: (one) => one.client?.version },
  { head: 'protocol_version', value: (one) => one.protocol_version },
  { head: 'missing_facts', value: (one) => one.missing.join(' ') },
  { head: 'id', value: (one) => one.id },
];
