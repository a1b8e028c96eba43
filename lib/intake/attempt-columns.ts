import { clampToInt64 } from '@/lib/base/int64';
import type { AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import { isStreamBusy, type Judgement, judgeAttempt } from '@/lib/resume/judge';
import { lowestCursorAtFloor } from '@/lib/resume/log-tests';
import { markOf } from '@/lib/resume/mark';
import type { Reason } from '@/lib/resume/types';
import type { AttemptColumns } from '@/lib/store/record-to-store';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** Judges an attempt by the facts of its record and lays out what it is queried by. */
export function attemptColumns(record: ResumeAttemptRecord): AttemptColumns {
  const facts = attemptFacts(record);
  const act = serverAct(record);
  const judgement = judgeAttempt(facts, act);
  const { decision, assessment } = judgement;
  const verdict = decision?.verdict ?? null;
  return {
    client: clientName(record.client),
    requestedGeneration: facts.requestedGeneration ?? null,
    protocolVersion: printable(facts.protocolVersion),
    cursor: facts.cursor ?? null,
    floor: facts.floor ?? null,
    head: facts.head ?? null,
    status: act.status ?? null,
    latencyMs: record.latency_ms !== undefined && Number.isFinite(record.latency_ms) ? record.latency_ms : null,
    act: act.verdict,
    verdict,
    reason: decision?.reason ?? null,
    assessment,
    mark: markOf(assessment, verdict),
    isUnavailable: isResumeUnavailable(facts, act, judgement),
    gapCount: lostEvents(judgement, act),
    replayCount: decision?.replay?.count ?? null,
    lead: leadToFloor(facts, decision?.reason ?? null),
  };
}

/** A refusal of a live session's cursor: any refusal but 404, 400 and a busy stream (contract section 1). */
function isResumeUnavailable(facts: AttemptFacts, act: ServerAct, judgement: Judgement): boolean {
  if (act.verdict !== 'refused' || act.status === 404 || act.status === 400 || isStreamBusy(act)) return false;
  if (facts.sessionState !== undefined && facts.sessionState !== 'live') return false;
  return judgement.assessment !== 'not_applicable';
}

/** Events missing after the cursor; of a replay that fell short, the events it left out. */
function lostEvents(judgement: Judgement, act: ServerAct): bigint | null {
  const { decision, assessment } = judgement;
  if (decision === null) return null;
  if (assessment !== 'bad_replay') return decision.gap?.count ?? null;
  if (decision.replay === null) return null;
  const short = decision.replay.count - (act.replayed?.count ?? 0n);
  return short > 0n ? short : null;
}

const COMPARED_WITH_FLOOR: ReadonlySet<Reason> = new Set<Reason>(['no_coverage', 'below_floor', 'hole', 'id_reused', 'ok']);

/** How far the cursor was from the lowest one that the floor rule lets through, which may be −1; negative below it. */
function leadToFloor(facts: AttemptFacts, reason: Reason | null): bigint | null {
  const { cursor, floor, head } = facts;
  if (reason === null || !COMPARED_WITH_FLOOR.has(reason)) return null;
  if (cursor === undefined || cursor === null || floor === undefined) return null;
  const log = { floor, head: head ?? floor, holes: [], reused: [], coveredFrom: null };
  return clampToInt64(cursor - lowestCursorAtFloor({ floor: facts.floorRule }, log));
}

function clientName(client: ResumeAttemptRecord['client']): string | null {
  if (client?.name === undefined) return null;
  return client.version === undefined ? client.name : `${client.name}/${client.version}`;
}

/** What almost every text is made of; asking for it costs a tenth of replacing what is not. */
const PLAIN = /^[ -~]*$/;

/** Protocol revisions are free text on the wire; Postgres stores no NUL and people read no control characters. */
function printable(text: string | null): string | null {
  return text === null || PLAIN.test(text) ? text : text.replace(/\p{Cc}/gu, '\ufffd');
}
