import { Numbering } from '@/lib/replay/numbering';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** One record in its stream's history. */
export interface StreamEntry {
  readonly record: TelemetryRecord;
  readonly numbering: Numbering;
  /** Whether the process restarted since the entry before: its connections are gone. */
  readonly isAfterBoot: boolean;
  /** Whether records of the session were kept back since the entry before: what they changed is not known. */
  readonly isAfterUnseen: boolean;
}

/** One stream of one session, with the history of its records. */
export interface StreamTrack {
  readonly entries: StreamEntry[];
  readonly numberings: Map<string, Numbering>;
  numbering: Numbering;
  /** Whether numbers may begin again: a boot or a rebuilt session since the last emission. */
  mayStartOver: boolean;
  bootsSeen: number;
  stretchesSeen: number;
}

export interface Boot {
  readonly generation: string | null;
  /** Stream that was written last on the server, whose state a boot interrupts. */
  readonly focus: { readonly track: StreamTrack; readonly at: number } | null;
}

export type Located =
  | { readonly kind: 'stream'; readonly track: StreamTrack; readonly at: number; readonly isRenumbered: boolean }
  | ({ readonly kind: 'boot' } & Boot);

interface SessionPlace {
  readonly tracks: Map<string, StreamTrack>;
  readonly streamOfConn: Map<string, string>;
  generation: string | null;
  node: string | undefined;
  /** How often records of it were kept back for good. */
  stretches: number;
}

interface ServerPlace {
  readonly sessions: Map<string | null, SessionPlace>;
  readonly boots: { readonly node: string | undefined; readonly generation: string | null }[];
  focus: Boot['focus'];
}

/** Assigns each record, in order, to its server, session, stream and numbering. Defaults are those of the audit. */
export class RecordLocator {
  readonly #servers = new Map<string, ServerPlace>();

  locate(record: TelemetryRecord): Located {
    const server = entryOf(this.#servers, record.server ?? 'default', () => ({ sessions: new Map(), boots: [], focus: null }));
    if (record.type === 'boot') {
      const generation = labelOf(record.generation) ?? null;
      server.boots.push({ node: record.node, generation });
      return { kind: 'boot', generation, focus: server.focus };
    }
    const session = entryOf(server.sessions, record.session === undefined ? 'S1' : record.session, () => newSession(server));
    const track = entryOf(session.tracks, streamOf(session, record), () => newTrack(session, server));
    const isAfterBoot = noticeBoots(server, session, track, record);
    const isAfterUnseen = noticeUnseen(session, track, record);
    const isRenumbered = chooseNumbering(session, track, record);
    const at = track.entries.push({ record, numbering: track.numbering, isAfterBoot, isAfterUnseen }) - 1;
    server.focus = { track, at };
    return { kind: 'stream', track, at, isRenumbered };
  }
}

const newSession = (server: ServerPlace): SessionPlace => ({
  tracks: new Map(),
  streamOfConn: new Map(),
  generation: server.boots.at(-1)?.generation ?? null,
  node: undefined,
  stretches: 0,
});

function newTrack(session: SessionPlace, server: ServerPlace): StreamTrack {
  const numbering = new Numbering(session.generation, 0);
  const numberings = new Map(session.generation === null ? [] : [[session.generation, numbering]]);
  return { entries: [], numberings, numbering, mayStartOver: false, bootsSeen: server.boots.length, stretchesSeen: 0 };
}

/** A record that names no stream belongs to the one its connection was opened on, else to the standalone stream. */
function streamOf(session: SessionPlace, record: TelemetryRecord): string {
  const conn = 'conn' in record ? record.conn : undefined;
  const stream = record.stream ?? (conn === undefined ? undefined : session.streamOfConn.get(conn)) ?? 'get';
  if (conn !== undefined && stream !== session.streamOfConn.get(conn) && (stream !== 'get' || session.streamOfConn.has(conn))) {
    session.streamOfConn.set(conn, stream);
  }
  return stream;
}

/** A boot reaches the sessions of its node; one whose node is not told reaches all. */
function noticeBoots(server: ServerPlace, session: SessionPlace, track: StreamTrack, record: TelemetryRecord): boolean {
  let isAfterBoot = false;
  for (const boot of server.boots.slice(track.bootsSeen)) {
    if (boot.node !== undefined && session.node !== undefined && boot.node !== session.node) continue;
    isAfterBoot = true;
    if (boot.generation !== null) session.generation = boot.generation;
  }
  track.bootsSeen = server.boots.length;
  session.node = record.node ?? session.node;
  if (isAfterBoot || (record.type === 'session' && (record.event === 'created' || record.event === 'restored'))) track.mayStartOver = true;
  return isAfterBoot;
}

function noticeUnseen(session: SessionPlace, track: StreamTrack, record: TelemetryRecord): boolean {
  if ((record.withheld_before ?? 0) > 0) session.stretches++;
  const isAfterUnseen = session.stretches > track.stretchesSeen;
  track.stretchesSeen = session.stretches;
  return isAfterUnseen;
}

/** Picks the numbering the record speaks of. True when positions of its earlier records change by it. */
function chooseNumbering(session: SessionPlace, track: StreamTrack, record: TelemetryRecord): boolean {
  const told = labelOf(record.generation);
  if (typeof told === 'string') session.generation = told;
  const { generation } = session;
  const at = track.entries.length;
  if (generation !== null && generation !== track.numbering.generation) {
    track.numbering = numberingFor(track, generation, at);
  }
  if (record.type === 'resume_attempt') return contradictsIds(track.numbering, record, at) && track.numbering.distrustIds();
  if (record.type !== 'emit') return false;
  if (track.mayStartOver && track.numbering.isStartedOverBy(record)) track.numbering = new Numbering(track.numbering.generation, at);
  track.mayStartOver = false;
  return track.numbering.append(record, at);
}

/** A numbering that had no label takes the first one told; after a restart a label names a new numbering. */
function numberingFor(track: StreamTrack, generation: string, at: number): Numbering {
  if (track.numbering.generation === null && !track.mayStartOver) {
    track.numbering.generation = generation;
    track.numberings.set(generation, track.numbering);
    return track.numbering;
  }
  return entryOf(track.numberings, generation, () => new Numbering(generation, at));
}

/** A server whose positions are not the numbers in its ids says so by a cursor beside its text. */
function contradictsIds(numbering: Numbering, record: Extract<TelemetryRecord, { type: 'resume_attempt' }>, at: number): boolean {
  if (!numbering.hasEmissionsBy(at) || typeof record.last_event_id !== 'string') return false;
  if (record.cursor === undefined || record.cursor === null) return false;
  const read = numbering.positionOf(record.last_event_id, at);
  return numbering.areIdsNumbers && read !== null && String(read) !== String(record.cursor);
}

function labelOf(generation: string | number | null | undefined): string | null | undefined {
  return generation === null || generation === undefined ? generation : String(generation);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
