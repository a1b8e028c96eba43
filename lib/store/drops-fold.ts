import type { Tx } from '@/db/transactions';
import type { Drop } from '@/lib/rollup/batch-numbers';

/**
 * Adds what senders that do not number their batches say they dropped to what is known to be missing: between the newest
 * record of the node that was known before, where there is one, and the record that says so. A record is stored once, and
 * its place is the loss's number, so that nothing is counted twice. No producer has an empty epoch, or a name that the
 * intake would take for one.
 */
export async function foldDrops(tx: Tx, drops: readonly Drop[]): Promise<void> {
  if (drops.length === 0) return;
  await tx.query({
    name: 'fold drops',
    text: `
      with given as (
          select s.project_id, server_id, node_id, place, records, to_timestamp(at / 1000) as at, to_timestamp(received / 1000) as received_at,
            E'\\x01server ' || server_id as producer
          from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[])
            as g (server_id, node_id, place, records, at, received) join server s on s.id = server_id),
        named as (
          insert into producer_server (project_id, producer, server_id)
          select distinct project_id, producer, server_id from given order by 2, 1 on conflict do nothing)
      insert into telemetry_loss (project_id, producer, epoch, first, last, records, since, until, revealed_at)
      select g.project_id, g.producer, '', g.place, g.place - 1, g.records, least(g.at, coalesce(n.last_at, g.at)), g.at, g.received_at
      from given g left join server_node n on n.server_id = g.server_id and n.node_id = g.node_id
      on conflict do nothing`,
    values: [
      drops.map(({ server }) => server),
      drops.map(({ node }) => node),
      drops.map(({ place }) => place),
      drops.map(({ records }) => records),
      drops.map(({ atMs }) => atMs),
      drops.map(({ receivedMs }) => receivedMs),
    ],
  });
}
