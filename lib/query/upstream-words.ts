import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import type { UpstreamWord } from '@/lib/proxy/upstream-words';
import { firstPlaceOf } from '@/lib/store/place';

/** Words of one read; what is left comes with the next. */
const WORDS_PER_READ = 5_000;

interface ServerWord extends UpstreamWord {
  readonly server: string;
}

interface WordRow {
  server: string;
  type: number;
  node: string | null;
  session_ref: string | null;
  generation: string | null;
  body: string;
  id: string;
  at: Date;
  received_at: Date;
  place: string;
}

/**
 * What servers told of their numberings in batches above `above` and up to `upTo`, in the order of receipt: boots, and
 * the beginnings and restorations of sessions.
 *
 * @param sinceMs records whose own instant lies before are left out, so that only the days from there on are read
 */
export async function queryUpstreamWords(
  sql: Sql,
  servers: readonly string[],
  { abovePlace, upToBatch, sinceMs }: { readonly abovePlace: number; readonly upToBatch: number; readonly sinceMs: number },
): Promise<ServerWord[]> {
  const rows = await sql<WordRow[]>`
    select s.name as server, r.type, n.name as node, r.session_ref, r.generation, r.body, r.id, r.at, r.received_at, r.place::text as place
    from record r join server s on s.id = r.server_id left join node n on n.id = r.node_id
    where s.name in ${sql([...servers])} and r.type in (${RECORD_TYPE_CODES.boot}, ${RECORD_TYPE_CODES.session})
      and r.at >= ${new Date(sinceMs)} and r.place > ${abovePlace} and r.place < ${firstPlaceOf(upToBatch + 1)}
    order by r.place limit ${WORDS_PER_READ}`;
  return rows.map(wordOf);
}

/** A boot or a session's beginning without a label begins a numbering like no other. */
function wordOf({ server, type, node, session_ref: ref, generation, body, id, at, received_at: received, place }: WordRow): ServerWord {
  return {
    server,
    kind: type === RECORD_TYPE_CODES.boot ? 'boot' : kindOf(body),
    ref: ref === null ? null : ref.replaceAll('-', ''),
    node,
    generation: generation ?? id,
    // A clock that runs ahead must not outlast what it tells next.
    at: Math.min(at.getTime(), received.getTime()),
    receivedAt: received.getTime(),
    place: Number(place),
  };
}

function kindOf(body: string): UpstreamWord['kind'] {
  const record = parseJsonExactly(body);
  const event = typeof record === 'object' && record !== null && 'event' in record ? record.event : null;
  return event === 'created' || event === 'restored' ? event : 'other';
}
