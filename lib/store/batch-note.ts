import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import type { BatchOrigin } from '@/lib/intake/batch-origin';
import type { BatchNote, Rejected, RejectedUnnumbered } from '@/lib/rollup/batch-numbers';
import type { KnownServers } from '@/lib/store/known-servers';
import type { SentBatch } from '@/lib/store/record-to-store';

/** A numbered batch as it is remembered: its numbers, and what its records tell of the time and of the servers it is about. */
export function batchNote(batch: SentBatch, origin: BatchOrigin, servers: KnownServers): BatchNote {
  const reported = new Set<number>();
  for (const record of batch.records) reported.add(servers.of(record));
  return {
    project: projectOf(batch),
    producer: storable(origin.producer),
    epoch: storable(origin.epoch),
    sequence: origin.sequence,
    first: origin.first,
    dropped: origin.dropped,
    beganMs: origin.began,
    ...spanOf(batch),
    receivedMs: batch.receivedAt,
    servers: [...reported],
    rejected: rejectedByServer(batch, servers).map(({ server, records, firstMs, lastMs }) => ({ server, records, firstMs, lastMs })),
  };
}

/** What was rejected of a batch that is not numbered, as it is remembered. */
export function unnumberedNotes(batch: SentBatch, servers: KnownServers): RejectedUnnumbered[] {
  const common = { project: projectOf(batch), receivedMs: batch.receivedAt };
  return rejectedByServer(batch, servers).map((rejected) => ({ ...rejected, ...common }));
}

/** Whoever needs no key sends for any project; what it numbers is of the default one. */
function projectOf({ project }: SentBatch): number {
  return project ?? DEFAULT_PROJECT_ID;
}

function spanOf({ records, receivedAt }: SentBatch): { firstMs: number; lastMs: number } {
  if (records.length === 0) return { firstMs: receivedAt, lastMs: receivedAt };
  const span = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY };
  for (const { at } of records) widen(span, at, at);
  return span;
}

interface RejectedOfServer extends Rejected {
  records: number;
  firstMs: number;
  lastMs: number;
  readonly ids: string[];
}

/** A record whose instant cannot be read lies between the oldest one beside it and the receipt. */
function rejectedByServer(batch: SentBatch, servers: KnownServers): RejectedOfServer[] {
  if (batch.rejected.length === 0) return [];
  const oldestMs = Math.min(spanOf(batch).firstMs, batch.receivedAt);
  const byServer = new Map<number, RejectedOfServer>();
  for (const { server: name, id, at } of batch.rejected) {
    const server = servers.ofRejected(name, batch.project);
    const [firstMs, lastMs] = [at ?? oldestMs, at ?? batch.receivedAt];
    const known = byServer.get(server) ?? { server, records: 0, firstMs, lastMs, ids: [] };
    byServer.set(server, known);
    known.records++;
    widen(known, firstMs, lastMs);
    if (id !== null) known.ids.push(id.replaceAll('-', ''));
  }
  return [...byServer.values()];
}

function widen(span: { firstMs: number; lastMs: number }, firstMs: number, lastMs: number): void {
  if (firstMs < span.firstMs) span.firstMs = firstMs;
  if (lastMs > span.lastMs) span.lastMs = lastMs;
}

/** Postgres stores no half of a surrogate pair. */
function storable(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\ufffd');
}
