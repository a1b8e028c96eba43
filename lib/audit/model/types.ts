import type { Intervals } from '@/lib/audit/model/intervals';
import type { StreamLog } from '@/lib/audit/model/stream-log';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { JsonDecision } from '@/lib/wire/encode-decision';

/** A count of events with the first and last of them, for a finding's text. */
export interface Tally {
  count: bigint;
  first: string | null;
  last: string | null;
  /** Record that made the count begin. */
  index: number;
}

export type ConnKind = 'listener' | 'answer' | 'resume' | 'implied';

/** What a resume attempt presented and what became of it. */
export interface Attempt {
  index: number;
  at: number | null;
  text: string | null;
  verdict: 'resumed' | 'refused' | 'fresh' | 'failed';
  status: number | null | undefined;
  code: number | null;
  latencyMs: number | null;
  client: string | null;
  decision: JsonDecision | null;
  assessment: Assessment;
  missing: readonly string[];
  /** Where the text was found: own log, an earlier numbering, elsewhere, nowhere. */
  origin: 'live' | 'earlier' | 'foreign' | 'unknown' | 'none';
  /** Events the log held when the attempt was answered. */
  length: bigint;
  /** Assessment that was drained last; null while none was. */
  told: Assessment | null;
  /** Claim of what was replayed; null when none was made. */
  claim: { count: bigint; last: string | null } | null;
}

/** One connection that carries, or asked to carry, a stream. */
export interface Conn {
  name: string;
  server: string;
  session: string | null;
  stream: string;
  kind: ConnKind;
  isAccepted: boolean;
  status: number | null | undefined;
  node: string | null;
  openedIndex: number;
  openedAt: number | null;
  log: StreamLog | null;
  /** Next place the connection is owed; null when no claim can be made. */
  owedFrom: bigint | null;
  /** False: `owedFrom` is what the client was written before, not what it said. */
  isOwedExact: boolean;
  /** A fresh connection of a client that had a cursor: the place it had, else null. */
  lostCursor: { place: bigint; text: string; isHarmful: boolean } | null;
  attempt: Attempt | null;
  written: Intervals;
  skipped: Intervals;
  firstWritten: bigint | null;
  /** Place the client said it had, in `log`; null when it had none there. */
  cursor: bigint | null;
  frames: bigint;
  messages: bigint;
  lastFrameIndex: number;
  lastFrameAt: number | null;
  repeats: Tally;
  withoutId: Tally;
  earlier: Tally;
  otherStream: Tally;
  otherSession: Tally;
  /** Refusals of other connections because of this one. */
  busy: { count: number; firstIndex: number; firstAt: number | null; frames: bigint } | null;
  records: number[];
}

/** A call that a POST made, until its answer was written. */
export interface Call {
  rpcId: string;
  tool: string | null;
  argsDigest: string | null;
  isIdempotent: boolean;
  stream: string;
  conn: string | null;
  index: number;
  /** Place of the answer in the stream's log; null while there is none. */
  answer: { log: StreamLog; place: bigint; index: number } | null;
  isConnOpen: boolean;
}

/** What the client was last told on a stream: its cursor. */
export interface HeldCursor {
  log: StreamLog;
  place: bigint;
  text: string;
  index: number;
  /** An empty id on the wire cleared it. */
  isCleared: boolean;
  /** The server refused it: the client is free to drop it. */
  isRefused: boolean;
}

/** Events that a connection was attached for and ended without; a later write to the same client redeems them. */
export interface UnwrittenClaim {
  log: StreamLog;
  ranges: Intervals;
  conn: string;
  server: string;
  session: string | null;
  openedIndex: number;
  records: number[];
}

export interface StreamState {
  stream: string;
  /** Logs in order of appearance; the last of a label is its live one. */
  logs: StreamLog[];
  held: HeldCursor | null;
  /** Refused cursor and how often it was presented again. */
  refused: { text: string; times: number; first: number; records: number[] } | null;
  /** Connections in a row without a message, and when the last of them opened. */
  empty: { count: number; first: number; lastAt: number | null; records: number[] };
  /** Instants and places of the newest replacements. */
  replaced: { at: number; index: number }[];
  isFlapping: boolean;
  isEmptyLoop: boolean;
  statusless: number;
  /** Events in a row under one id. */
  sameId: { text: string; count: number; first: number; records: number[]; digestsDiffer: boolean; hasOther: boolean } | null;
  /** Of ended connections, the newest of them; judged when the history ends. */
  unwritten: UnwrittenClaim[];
}

export type SessionLife = 'live' | 'evicted' | 'superseded' | 'unseen';

export interface SessionState {
  server: string;
  token: string | null;
  life: SessionLife;
  /** A `session` record said that the token came to be. */
  isCreated: boolean;
  generation: string | null;
  node: string | null;
  principal: string | null;
  ttlMs: number | null;
  /** Label of the process start that puts its survival in doubt, until something proves it alive. */
  doubt: { index: number; generation: string | null } | null;
  /** Record that said it was rebuilt; −1 while none did. */
  rebuiltIndex: number;
  /** Record that said so, or that its process started: numbering may begin anew after it. */
  restartIndex: number;
  streams: Map<string, StreamState>;
  conns: Map<string, Conn>;
  calls: Map<string, Call>;
  firstIndex: number;
  lastIndex: number;
  lastAt: number | null;
  /** Last time the client used it. */
  usedAt: number | null;
  endedIndex: number | null;
  endedAt: number | null;
  isDeleted: boolean;
  /** Refused with 404, and how often the token was used again. */
  notFound: { index: number; onListener: boolean; again: number; records: number[] } | null;
  /** A 404 to a call that may yet prove wrong. */
  denied: { index: number; node: string | null } | null;
  /** Told that its session or cursor is gone, with no sign of life since. */
  told: { index: number; at: number } | null;
  upstreams: Map<string, { failures: number; firstIndex: number; records: number[]; hadSuccess: boolean }>;
  upstreamSuccessIndex: number;
  silentLifetimes: { ms: number; index: number }[];
  hasDeliveries: boolean;
  /** What follows the newest record is kept back by its sender: a silence proves nothing. */
  isKeptBack: boolean;
  /** Records of its live numbering were kept back for good; of an earlier one. */
  hasUnseen: boolean;
  hasUnseenEarlier: boolean;
  ghost: number | null;
}

export interface ClientKind {
  returned: Set<string>;
  presented: Set<string>;
  firstIndex: number;
  lastIndex: number;
}

export interface ServerState {
  server: string;
  boots: number;
  created: number;
  sessions: Map<string, SessionState>;
  /** Tokens answered 404 and not yet followed by an `initialize`, newest last. */
  told: string[];
  clients: Map<string, ClientKind>;
  lastAt: number | null;
  lastIndex: number;
}
