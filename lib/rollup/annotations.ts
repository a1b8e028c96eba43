import type { TelemetryRecord } from '@/lib/wire/schema';

/** What a record says that happened to a server, worth a note beside its attempts. */
export const ANNOTATION_KINDS = ['boot', 'generation', 'session_evicted', 'eviction', 'forced_eviction'] as const;
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/**
 * The note that a record makes, null for the most part. `generation`: a session's state was rebuilt (`restored`) or
 * replaced under its token (`superseded`). `eviction`: events left a log as its bounds say; `forced_eviction`: they
 * left it for want of memory or by a restart.
 */
export function annotationOf(record: TelemetryRecord): AnnotationKind | null {
  switch (record.type) {
    case 'boot':
      return 'boot';
    case 'session':
      if (record.event === 'evicted') return 'session_evicted';
      return record.event === 'restored' || record.event === 'superseded' ? 'generation' : null;
    case 'evict':
      return record.cause === 'memory' || record.cause === 'restart' ? 'forced_eviction' : 'eviction';
    default:
      return null;
  }
}
