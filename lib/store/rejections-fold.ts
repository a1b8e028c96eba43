import type { Tx } from '@/db/transactions';
import type { RejectedUnnumbered } from '@/lib/rollup/batch-numbers';

const MINUTE_MS = 60_000;

/**
 * Adds what was rejected outside of numbered batches to what is known to be missing, as one loss per project, server and minute.
 * A record with an id counts once, however often it is sent. The number of such a loss is its minute, and no producer has an
 * empty epoch, or a name that the intake would take for one.
 */
export async function foldRejections(tx: Tx, rejections: readonly RejectedUnnumbered[]): Promise<void> {
  if (rejections.length === 0) return;
  const known = await countKnown(tx, rejections);
  const fresh = rejections.map((rejected, index) => ({ ...rejected, records: rejected.records - (known.get(index) ?? 0) }));
  await addLosses(
    tx,
    fresh.filter(({ records }) => records > 0),
  );
}

/** Of each entry, how many of its records were rejected before. */
async function countKnown(tx: Tx, rejections: readonly RejectedUnnumbered[]): Promise<Map<number, number>> {
  const given = rejections.flatMap(({ project, ids, receivedMs }, entry) => ids.map((id) => ({ entry, project, id, receivedMs })));
  if (given.length === 0) return new Map();
  const { rows } = await tx.query<{ entry: number; known: number }>({
    name: 'note rejected records',
    text: `
      with given as (
          select entry, project_id, id, received, row_number() over (partition by project_id, id order by entry) as nth
          from unnest($1::int[], $2::int[], $3::uuid[], $4::float8[]) as g (entry, project_id, id, received)),
        fresh as (
          insert into rejected_record (project_id, id, at) select project_id, id, to_timestamp(received / 1000) from given where nth = 1
          on conflict do nothing returning project_id, id)
      select g.entry, count(*)::int as known from given g left join fresh f on g.nth = 1 and f.project_id = g.project_id and f.id = g.id
      where f.id is null group by 1`,
    values: [
      given.map(({ entry }) => entry),
      given.map(({ project }) => project),
      given.map(({ id }) => id),
      given.map(({ receivedMs }) => receivedMs),
    ],
  });
  return new Map(rows.map(({ entry, known }) => [entry, known]));
}

async function addLosses(tx: Tx, rejections: readonly RejectedUnnumbered[]): Promise<void> {
  if (rejections.length === 0) return;
  await tx.query({
    name: 'add rejections',
    text: `
      insert into telemetry_loss (project_id, producer, epoch, first, last, server_id, is_rejected, records, since, until, revealed_at)
      select project_id, E'\\x01rejected', '', minute, minute - 1, server_id, true, sum(records), to_timestamp(min(first_ms) / 1000),
        to_timestamp(max(last_ms) / 1000), to_timestamp(max(received_ms) / 1000)
      from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::float8[])
        as g (project_id, server_id, minute, records, first_ms, last_ms, received_ms)
      group by 1, server_id, minute
      on conflict (project_id, producer, epoch, first, last, server_id, is_rejected) do update set
        records = telemetry_loss.records + excluded.records, since = least(telemetry_loss.since, excluded.since),
        until = greatest(telemetry_loss.until, excluded.until), revealed_at = greatest(telemetry_loss.revealed_at, excluded.revealed_at)`,
    values: [
      rejections.map(({ project }) => project),
      rejections.map(({ server }) => server),
      rejections.map(({ lastMs }) => Math.floor(lastMs / MINUTE_MS)),
      rejections.map(({ records }) => records),
      rejections.map(({ firstMs }) => firstMs),
      rejections.map(({ lastMs }) => lastMs),
      rejections.map(({ receivedMs }) => receivedMs),
    ],
  });
}
