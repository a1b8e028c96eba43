import type { FindingCode } from '@/lib/audit/finding';
import type { Random } from '@/tests/audit/random';
import type { Wire } from '@/tests/audit/schedule';

/** A fault in a session of its own: what happens, and every code that it must and may alone yield. */
export interface Fault {
  readonly codes: readonly FindingCode[];
  readonly records: Wire[];
}

const START = 1_764_600_000_000;

class Episode {
  readonly records: Wire[] = [];
  readonly session: string;
  readonly random: Random;
  #next = 0;
  #conns = 0;

  constructor(random: Random, session = 'F1') {
    this.random = random;
    this.session = session;
  }

  put(type: string, record: Record<string, unknown>): this {
    this.records.push({ type, session: this.session, ...record });
    return this;
  }

  conn = (): string => `f${++this.#conns}`;
  id = (): string => `F-${this.session}-${this.#next++}`;
  ids = (count: number): string[] => Array.from({ length: count }, () => this.id());
  some = (): number => this.random.integer(2, 9);

  created(): this {
    return this.put('session', { event: 'created', node: 'f1' });
  }

  /** A listener that was written `ids` and then dropped. */
  listened(ids: readonly string[], extra: Record<string, unknown> = {}): this {
    const conn = this.conn();
    this.put('open', { conn, method: 'GET', status: 200, ...extra });
    this.put('emit', { event_ids: ids, ...extra });
    this.put('deliver', { conn, event_ids: ids, ...extra });
    return this.put('close', { conn, by: 'network', ...extra });
  }

  resumed(cursor: string | undefined, extra: Record<string, unknown> = {}): string {
    const conn = this.conn();
    this.put('resume_attempt', { conn, last_event_id: cursor, verdict: 'resumed', status: 200, ...extra });
    return conn;
  }
}

const FAULTS: Record<FindingCode, (episode: Episode) => void> = {
  gap: (e) => {
    const had = e.ids(e.some());
    const missed = e.ids(e.some());
    e.created().listened(had).put('emit', { event_ids: missed });
    e.put('evict', { floor: missed.at(-1), cause: 'count' });
    const conn = e.resumed(had.at(-1));
    e.put('deliver', { conn, event_ids: missed.slice(-1) }).put('close', { conn, by: 'client' });
  },
  lost_response: (e) => {
    const [priming, answer] = e.ids(2);
    const stream = 'fr';
    e.created().put('request', { conn: 'p', stream, rpc: { method: 'tools/call', id: 7 }, status: 200, content_type: 'text/event-stream' });
    e.put('emit', { stream, event_id: priming, kind: 'priming' }).put('deliver', { conn: 'p', stream, event_ids: [priming] });
    e.put('close', { conn: 'p', stream, by: 'network' }).put('emit', { stream, event_id: answer, rpc: { type: 'response', id: 7 } });
    e.put('evict', { stream, floor: null, cause: 'stream_end' });
    const conn = e.resumed(priming, { stream, replayed: { count: 0, first: null, last: null } });
    e.put('close', { conn, stream, by: 'client' });
  },
  missignalled_caught_up: (e) => {
    const had = e.ids(e.some());
    const missed = e.ids(e.some());
    e.created().listened(had).put('emit', { event_ids: missed });
    const conn = e.resumed(had.at(-1), { replayed: { count: 0, first: null, last: missed.at(-1) } });
    e.put('close', { conn, by: 'client' });
  },
  cursor_lost: (e) => {
    e.created().listened(e.ids(e.some()));
    e.put('emit', { event_ids: e.ids(e.some()) });
    const conn = e.conn();
    const [next] = e.ids(1);
    e.put('open', { conn, method: 'GET', status: 200 }).put('emit', { event_id: next });
    e.put('deliver', { conn, event_ids: [next] }).put('close', { conn, by: 'client' });
  },
  ids_not_on_wire: (e) => {
    const ids = e.ids(e.some());
    e.created().put('open', { conn: 'c', method: 'GET', status: 200 }).put('emit', { event_ids: ids });
    e.put('deliver', { conn: 'c', event_ids: ids, without_id: true }).put('close', { conn: 'c', by: 'client' });
  },
  stalled_delivery: (e) => {
    e.created()
      .put('open', { conn: 'c', method: 'GET', status: 200 })
      .put('emit', { event_ids: e.ids(e.some()) });
    e.put('close', { conn: 'c', by: 'client' });
  },
  duplicate: (e) => {
    const had = e.ids(e.some());
    const next = e.ids(e.some());
    e.created().listened(had).put('emit', { event_ids: next });
    const conn = e.resumed(had.at(-1));
    e.put('deliver', { conn, event_ids: [...had.slice(-1), ...next] }).put('close', { conn, by: 'client' });
  },
  cursor_not_honoured: (e) => {
    const had = e.ids(e.some() + 1);
    e.created().listened(had);
    const conn = e.resumed(had.at(-1));
    e.put('deliver', { conn, event_ids: had }).put('close', { conn, by: 'client' });
  },
  possible_duplicate_execution: (e) => {
    const [priming, answer] = e.ids(2);
    const call = { tool: 'pay', args_digest: 'x', idempotent: false, status: 200 };
    e.created().put('request', {
      ...call,
      conn: 'p',
      stream: 'fr',
      rpc: { method: 'tools/call', id: 7 },
      content_type: 'text/event-stream',
    });
    e.put('emit', { stream: 'fr', event_id: priming, kind: 'priming' }).put('deliver', { conn: 'p', stream: 'fr', event_ids: [priming] });
    e.put('close', { conn: 'p', stream: 'fr', by: 'network' }).put('emit', {
      stream: 'fr',
      event_id: answer,
      rpc: { type: 'response', id: 7 },
    });
    e.put('request', { ...call, conn: 'q', stream: 'fs', rpc: { method: 'tools/call', id: 8 } });
  },
  cross_generation_replay: (e) => {
    const count = e.some();
    e.put('session', { event: 'created', node: 'f1', generation: 'A' }).put('open', {
      conn: 'c',
      method: 'GET',
      status: 200,
      generation: 'A',
    });
    e.put('emit', { range: [9_000_001, 9_000_000 + count], generation: 'A' }).put('deliver', {
      conn: 'c',
      range: [9_000_001, 9_000_000 + count],
    });
    e.put('close', { conn: 'c', by: 'network' }).put('session', { event: 'restored', generation: 'B' });
    e.put('emit', { range: [9_000_001, 9_000_003 + count], generation: 'B' });
    const conn = e.resumed(String(9_000_000 + count), { generation: 'B' });
    e.put('deliver', { conn, range: [9_000_001 + count, 9_000_003 + count], generation: 'B' }).put('close', { conn, by: 'client' });
  },
  cross_stream_replay: (e) => {
    const [a, b, c] = [e.id(), e.id(), e.id()];
    e.created().listened([a], { stream: 'fa' });
    e.put('emit', { stream: 'fb', event_id: b }).put('emit', { stream: 'fa', event_id: c });
    const conn = e.resumed(a, { stream: 'fa' });
    e.put('deliver', { conn, stream: 'fa', event_ids: [b, c] }).put('close', { conn, stream: 'fa', by: 'client' });
  },
  cross_session_replay: (e) => {
    const other = new Episode(e.random, 'F2');
    const [mine, theirs] = [e.ids(2), other.ids(e.some())];
    other.created().put('emit', { event_ids: theirs });
    e.records.push(...other.records);
    e.created()
      .listened(mine.slice(0, 1))
      .put('emit', { event_ids: mine.slice(1) });
    const conn = e.resumed(mine[0]);
    e.put('deliver', { conn, event_ids: [...mine.slice(1), ...theirs] }).put('close', { conn, by: 'client' });
  },
  id_reused: (e) => {
    const ids = e.ids(e.some());
    e.put('session', { event: 'created', node: 'f1', generation: 'A' });
    e.put('emit', { event_ids: ids, digests: ids.map((id) => `a${id}`), generation: 'A' }).put('session', {
      event: 'restored',
      generation: 'A',
    });
    e.put('emit', { event_ids: ids, digests: ids.map((id) => `b${id}`), generation: 'A' });
  },
  id_collision: (e) => {
    const [first, same, last] = e.ids(3);
    e.created().put('emit', { event_id: first, digest: 'a' }).put('emit', { event_id: same, digest: 'b' });
    e.put('emit', { event_id: same, digest: 'c' }).put('emit', { event_id: last, digest: 'd' });
  },
  id_not_advancing: (e) => {
    e.created();
    for (let i = e.some() + 1; i > 0; i--) e.put('emit', { event_id: 'F0', digest: `d${i}` });
  },
  ambiguous_cursor: (e) => {
    e.created();
    for (const stream of ['fa', 'fb']) e.put('emit', { stream, event_id: 'F0', kind: 'priming' });
    e.put('resume_attempt', { conn: 'c', last_event_id: 'F0', verdict: 'refused', status: 409, reason: 'unknown_cursor' });
  },
  over_refusal: (e) => {
    const had = e.ids(e.some());
    e.created()
      .listened(had)
      .put('emit', { event_ids: e.ids(e.some()) });
    e.put('resume_attempt', { conn: 'c', last_event_id: had.at(-1), verdict: 'refused', status: 409, reason: 'below_floor' });
  },
  wrong_status: (e) => {
    const had = e.ids(e.some());
    const next = e.ids(e.some());
    e.created().listened(had).put('emit', { event_ids: next }).put('evict', { floor: null, cause: 'age' });
    const status = e.random.pick([400, 404, 410, 500]);
    e.put('resume_attempt', { conn: 'c', last_event_id: had.at(-1), verdict: 'refused', status });
  },
  disguised_refusal: (e) => {
    e.created().put('session', { event: 'ended' });
    e.put('request', { rpc: { method: 'tools/list', id: 1 }, status: 200, code: -32_600 });
  },
  unanswered_resume: (e) => {
    const had = e.ids(e.some());
    e.created().listened(had);
    e.put('resume_attempt', { conn: 'c', last_event_id: had.at(-1), verdict: 'failed', status: null, latency_ms: 60_000 });
  },
  reconnect_loop: (e) => {
    e.created();
    for (let i = 0, times = e.some() + 4; i < times; i++) {
      e.put('open', { conn: `l${i}`, method: 'GET', status: 200, at: START + i * 1_000 });
      e.put('close', { conn: `l${i}`, by: 'server', at: START + i * 1_000 + 50 });
    }
  },
  stream_flap: (e) => {
    e.created().put('open', { conn: 'l0', method: 'GET', status: 200, at: START });
    for (let i = 1, times = e.some() + 4; i < times; i++) {
      e.put('open', { conn: `l${i}`, method: 'GET', status: 200, at: START + i * 1_000 });
      e.put('close', { conn: `l${i - 1}`, by: 'superseded', at: START + i * 1_000 + 10 });
    }
  },
  stale_session_loop: (e) => {
    const server = { server: 'elsewhere' };
    const times = e.some() + 1;
    e.put('session', { ...server, event: 'created' }).put('session', { ...server, event: 'evicted' });
    for (let i = 0; i < times; i++) e.put('request', { ...server, rpc: { method: 'tools/list', id: i }, status: 404, code: -32_001 });
  },
  orphaned_stream: (e) => {
    const [id] = e.ids(1);
    e.created().put('open', { conn: 'c', method: 'GET', status: 200 }).put('session', { event: 'ended' });
    e.put('emit', { event_id: id })
      .put('deliver', { conn: 'c', event_ids: [id] })
      .put('close', { conn: 'c', by: 'server' });
  },
  zombie_holder: (e) => {
    e.created().put('open', { conn: 'c', method: 'GET', status: 200, at: START });
    for (let i = 0, times = e.some(); i < times; i++)
      e.put('open', { conn: `r${i}`, method: 'GET', status: 409, at: START + 60_000 + i * 2_000 });
    e.put('open', { conn: 'n', method: 'GET', status: 200, at: START + 180_000 }).put('close', {
      conn: 'n',
      by: 'client',
      at: START + 181_000,
    });
  },
  session_adopted: (e) => {
    e.created().put('session', { event: e.random.pick(['ended', 'evicted']) });
    e.put('request', { rpc: { method: 'tools/list', id: 1 }, status: 200 });
  },
  active_session_expired: (e) => {
    const idle = e.random.integer(1, 59_999);
    e.put('session', { event: 'created', node: 'f1', ttl_ms: 60_000, at: START });
    e.put('request', { rpc: { method: 'tools/list', id: 1 }, status: 200, at: START + 50_000 });
    e.put('session', { event: 'evicted', at: START + 50_000 + idle });
  },
  session_loss_ignored: (e) => {
    const server = { server: 'elsewhere' };
    e.put('session', { ...server, event: 'created' }).put('session', { ...server, event: 'evicted' });
    e.put('open', { ...server, conn: 'c', method: 'GET', status: 404 });
    e.put('request', { ...server, rpc: { method: 'tools/list', id: 1 }, status: 404, code: -32_001 });
  },
  partial_session_loss: (e) => {
    e.created().put('request', { rpc: { method: 'tools/call', id: 1 }, status: 200, upstream: 'u2' });
    for (let i = 0, times = e.some() + 2; i < times; i++) {
      e.put('request', { rpc: { method: 'tools/call', id: 10 + i }, status: 502, upstream: 'u2' });
      e.put('request', { rpc: { method: 'tools/call', id: 50 + i }, status: 200, upstream: 'u1' });
    }
  },
  abandoned_sessions: (e) => {
    const count = 20 + e.some();
    for (let i = 0; i < count; i++) e.put('session', { event: 'created', session: `FA${i}`, server: 'elsewhere', at: START + i });
    e.put('request', { session: 'FA0', server: 'elsewhere', rpc: { method: 'ping', id: 1 }, status: 200, at: START + 1_900_000 });
  },
  route_not_found: (e) => {
    e.put('request', { session: null, server: 'elsewhere', rpc: { method: 'initialize', id: 0 }, status: 404 });
  },
  silent_client: (e) => {
    const server = { server: 'elsewhere' };
    e.put('session', { ...server, event: 'created', at: START }).put('session', { ...server, event: 'evicted', at: START + 1_000 });
    e.put('request', { ...server, rpc: { method: 'tools/list', id: 1 }, status: 404, at: START + 2_000 });
    e.put('boot', { ...server, at: START + 2_000 + 300_000 + e.random.integer(0, 100_000) });
  },
  idle_cut: (e) => {
    const life = e.random.integer(31_000, 200_000);
    e.created();
    for (let i = 0, times = e.some() + 1; i < times; i++) {
      const at = START + i * 300_000;
      e.put('open', { conn: `l${i}`, method: 'GET', status: 200, at });
      e.put('close', { conn: `l${i}`, by: 'network', at: at + life + e.random.integer(0, Math.floor(life / 100)) });
    }
  },
  header_stripped: (e) => {
    const back = (token: string, name: string, presents: boolean) => {
      const session = new Episode(e.random, token);
      const had = session.ids(2);
      session.created().listened(had);
      const last_event_id = presents ? had.at(-1) : null;
      session.put('resume_attempt', { conn: 'b', last_event_id, verdict: presents ? 'resumed' : 'fresh', status: 200, client: { name } });
      session.put('close', { conn: 'b', by: 'client' });
      e.records.push(...session.records);
    };
    for (let i = 0, times = e.some() + 1; i < times; i++) back(`FW${i}`, 'web', false);
    back('FC', 'cli', true);
  },
  used_cleared_cursor: (e) => {
    const had = e.ids(e.some());
    e.created().put('open', { conn: 'c', method: 'GET', status: 200 }).put('emit', { event_ids: had });
    e.put('deliver', { conn: 'c', event_ids: [...had, ''] }).put('close', { conn: 'c', by: 'network' });
    e.put('close', { conn: e.resumed(had.at(-1)), by: 'client' });
  },
  suppressed_live_events: (e) => {
    const ids = e.ids(e.some());
    e.created().put('open', { conn: 'c', method: 'GET', status: 200 }).put('emit', { event_ids: ids });
    e.put('deliver', { conn: 'c', event_ids: ids }).put('client', { conn: 'c', event: 'discarded', event_ids: ids });
    e.put('close', { conn: 'c', by: 'client' });
  },
};

/** Faults that are by their nature two: the gap that holds an answer is a gap as well. */
const ALSO: Partial<Record<FindingCode, readonly FindingCode[]>> = {
  lost_response: ['gap'],
  missignalled_caught_up: ['gap'],
  cursor_not_honoured: ['duplicate'],
};

export function plant(code: FindingCode, random: Random): Fault {
  const episode = new Episode(random);
  FAULTS[code](episode);
  return { codes: [code, ...(ALSO[code] ?? [])], records: episode.records };
}

/** Both sequences in one, each in its own order. */
export function interleave(random: Random, a: readonly Wire[], b: readonly Wire[]): Wire[] {
  const merged: Wire[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takesA = j >= b.length || (i < a.length && random.integer(0, a.length - i + b.length - j - 1) < a.length - i);
    const next = takesA ? a[i++] : b[j++];
    if (next !== undefined) merged.push(next);
  }
  return merged;
}
