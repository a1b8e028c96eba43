import { factMembers, replayedMember } from '../attempt-record.js';
import type { SessionLedger } from '../ledger/session-ledger.js';
import type { Observer } from '../observer.js';
import type { ResumeAttemptRecord } from '../telemetry/record.js';
import type { FloorRule } from '../verdict/facts.js';
import type { AwaitedReplay } from './awaited-replay.js';
import type { Judged } from './cursor-judge.js';

/** An HTTP request as far as a resume needs it. */
export interface IncomingRequest {
  readonly method: string;
  readonly token: string | null;
  readonly lastEventId: string | null;
  readonly protocolVersion: string | null;
}

export interface ExchangeOptions {
  readonly floorRule: FloorRule;
  readonly learnFromWire: boolean;
  /** Whether a refusal may have to settle the call that this request makes. */
  readonly settlesCalls: boolean;
}

/** What a watched exchange knows when a record of it is made. */
export interface ExchangeFacts {
  readonly observer: Observer;
  readonly incoming: IncomingRequest;
  readonly conn: string;
  /** Epoch milliseconds at which the request came. */
  readonly at: number;
  /** The session that the exchange belongs to, which an initialize gets with its answer. */
  readonly token: string | null;
  readonly ledger: SessionLedger | undefined;
  readonly stream: string | null;
  readonly status: number | null;
  /** JSON-RPC code in the answer; null where it holds none. */
  readonly code: number | null;
}

/** What is known of an answered resume beside the exchange. */
export interface ResumeFactsKnown {
  readonly judged: Judged | null;
  readonly replay: Pick<AwaitedReplay, 'facts' | 'report'> | null;
  readonly isRefusedHere: boolean;
  readonly isStream: boolean;
  readonly latencyMs: number;
  readonly floorRule: FloorRule;
}

/** Members that every record of an exchange has. */
export function commonMembers({ token, ledger, stream, incoming }: ExchangeFacts) {
  const version = incoming.protocolVersion ?? ledger?.protocolVersion;
  return {
    session: token,
    ...(ledger?.names ?? {}),
    ...(stream === null ? {} : { stream }),
    ...(version === undefined ? {} : { protocol_version: version }),
  };
}

/** Whether a connect was refused, or its client came back to its standalone stream without the cursor it had. */
export function isOpenTrouble({ status, incoming, ledger }: ExchangeFacts): boolean {
  if (status === null || status >= 400) return true;
  return incoming.method === 'GET' && ledger?.hasStandaloneDelivery === true;
}

export function attemptRecord(facts: ExchangeFacts, known: ResumeFactsKnown): ResumeAttemptRecord {
  const report = known.replay?.report ?? null;
  const cursor = known.replay?.facts ?? known.judged?.facts;
  const client = facts.ledger?.client;
  return {
    type: 'resume_attempt',
    ...commonMembers(facts),
    ...(cursor === undefined ? {} : factMembers(cursor)),
    at: facts.at,
    conn: facts.conn,
    last_event_id: facts.incoming.lastEventId,
    ...actOf(facts, known),
    ...replayedMember(report),
    status: facts.status,
    code: facts.code,
    latency_ms: Math.round(known.latencyMs * 1000) / 1000,
    ...(client === undefined ? {} : { client }),
    policy: { floor: known.floorRule },
  };
}

function actOf({ status, ledger }: ExchangeFacts, known: ResumeFactsKnown): Pick<ResumeAttemptRecord, 'verdict' | 'reason'> {
  if (known.isRefusedHere) return { verdict: 'refused', reason: known.judged?.decision?.reason ?? null };
  if (status === null || status >= 500) return { verdict: 'failed' };
  if (status >= 400) return { verdict: 'refused', reason: refusalReason(status, known) };
  const seesStore = ledger?.options.source === 'store';
  return { verdict: known.isStream && (isReplayed(known) || !seesStore) ? 'resumed' : 'fresh' };
}

const isReplayed = ({ replay }: ResumeFactsKnown): boolean => replay !== null && replay.facts !== null;

/** Both SDK lines answer 409 to a good cursor only where another connection holds its stream. */
function refusalReason(status: number, known: ResumeFactsKnown): string | null {
  const decision = known.judged?.decision ?? null;
  if (decision?.verdict === 'refuse' && decision.status === status) return decision.reason;
  return status === 409 && !isReplayed(known) && decision?.verdict === 'resume' ? 'stream_busy' : null;
}
