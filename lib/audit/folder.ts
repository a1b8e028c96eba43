import type { AuditAnswer, AuditedResume, Finding } from '@/lib/audit/finding';
import { FindingDesk } from '@/lib/audit/finding-desk';
import { addProof, othersOn, startConn } from '@/lib/audit/model/conns';
import { finishedAssessment } from '@/lib/audit/model/finished-assessment';
import { foldAttempt, noteLostCursor } from '@/lib/audit/model/fold-attempt';
import { foldDeliver } from '@/lib/audit/model/fold-deliver';
import { foldEmit } from '@/lib/audit/model/fold-emit';
import { foldEvict } from '@/lib/audit/model/fold-evict';
import { foldAnswer, foldRequest, requestMoment, settleCalls } from '@/lib/audit/model/fold-request';
import { foldBoot, foldSession } from '@/lib/audit/model/fold-session';
import { addInterval } from '@/lib/audit/model/intervals';
import { noteNotFound, noteRefusedCursor, noteTold, noteUse, noteWelcome } from '@/lib/audit/model/notes';
import { logOf, serverIn, sessionIn, sessionKey, streamIn } from '@/lib/audit/model/sessions';
import type { AuditState, PendingAttempt } from '@/lib/audit/model/state';
import { noteKeptBack } from '@/lib/audit/model/told-in-part';
import type { Conn, ServerState, SessionState } from '@/lib/audit/model/types';
import { moments } from '@/lib/audit/registry';
import type { ConnEnd, EndCause } from '@/lib/audit/rule';
import { describeAttempt, tellAttempt } from '@/lib/audit/told-attempt';
import { STREAM_BUSY_CODE } from '@/lib/resume/judge';
import { instantOf } from '@/lib/wire/instant';
import type { RecordOf, TelemetryRecord } from '@/lib/wire/schema';

/** What a silence proves as long as it lasts. */
export interface Settlement {
  readonly findings: readonly Finding[];
  readonly resumes: readonly AuditedResume[];
}

/** Folds records into the model and shows each moment to the rules that look at it. */
export class Folder {
  readonly #state: AuditState;
  readonly #desk: FindingDesk;

  constructor(state: AuditState) {
    this.#state = state;
    this.#desk = new FindingDesk(state);
  }

  push(record: TelemetryRecord, index: number): void {
    this.#state.lastIndex = index;
    const at = instantOf(record.at);
    const server = serverIn(this.#state.servers, record.server ?? 'default');
    server.lastIndex = index;
    if (at !== null && (server.lastAt === null || at > server.lastAt)) server.lastAt = at;
    if (record.type === 'boot') {
      foldBoot(server, record, index);
      return;
    }
    const session = sessionIn(server, record.session === undefined ? 'S1' : record.session, index);
    noteKeptBack(session, record);
    this.#fold(server, session, record, index, at);
    session.lastIndex = index;
    if (at !== null) session.lastAt = at;
  }

  takeFindings(): Finding[] {
    return this.#desk.take();
  }

  takeResumes(): AuditedResume[] {
    const taken = this.#state.attempts.map(tellAttempt);
    this.#state.attempts = [];
    return taken;
  }

  /** What the silence of a session proves if nothing more comes of it, and attempts whose assessment it changes. */
  settleSession(serverName: string, token: string | null, now: number | null): Settlement {
    const server = this.#state.servers.get(serverName);
    const session = server?.sessions.get(sessionKey(token));
    if (server === undefined || session === undefined || session.isKeptBack) return { findings: [], resumes: [] };
    const report = this.#desk.provisional();
    this.#showSessionEnd(server, session, now, report);
    const changed: PendingAttempt[] = [];
    for (const conn of session.conns.values()) {
      const { attempt } = conn;
      if (attempt === null || attempt.told === null || attempt.told === finishedAssessment(conn)) continue;
      changed.push({ attempt, conn, name: conn.name, server: serverName, session: token });
    }
    return { findings: report.over([]), resumes: changed.map(tellAttempt) };
  }

  /** The same for faults that only show across the sessions of a server. */
  settleServer(serverName: string, now: number | null): Finding[] {
    const server = this.#state.servers.get(serverName);
    if (server === undefined) return [];
    const report = this.#desk.provisional();
    this.#showServerEnd(server, now, report);
    return report.over([]);
  }

  forgetSession(serverName: string, token: string | null): void {
    this.#state.servers.get(serverName)?.sessions.delete(sessionKey(token));
  }

  finish(): AuditAnswer {
    const proved = [...this.#state.findings.values()];
    const report = this.#desk.provisional();
    for (const server of this.#state.servers.values()) {
      for (const session of server.sessions.values()) this.#showSessionEnd(server, session, null, report);
      this.#showServerEnd(server, null, report);
    }
    return { resumes: this.#state.attempts.map(describeAttempt), findings: report.over(proved) };
  }

  #showSessionEnd(server: ServerState, session: SessionState, now: number | null, report: Pick<FindingDesk, 'reportFor'>): void {
    // What follows is kept back: that nothing more came proves nothing.
    if (session.isKeptBack) return;
    for (const conn of session.conns.values()) this.#showEnd(server, session, conn, 'history', this.#state.lastIndex, null, report);
    const asOfNow = asOf(server, now);
    for (const rule of moments.sessionAtEnd) rule.see(session, rule.isOfSilence ? asOfNow : server, report.reportFor(rule.code));
  }

  #showServerEnd(server: ServerState, now: number | null, report: Pick<FindingDesk, 'reportFor'>): void {
    const asOfNow = asOf(server, now);
    for (const rule of moments.serverAtEnd) rule.see(rule.isOfSilence ? asOfNow : server, report.reportFor(rule.code));
  }

  #fold(
    server: ServerState,
    session: SessionState,
    record: Exclude<TelemetryRecord, { type: 'boot' }>,
    index: number,
    at: number | null,
  ): void {
    switch (record.type) {
      case 'emit':
        this.#emit(session, record, index, at);
        break;
      case 'deliver':
        this.#deliver(server, session, record, index, at);
        break;
      case 'resume_attempt':
        this.#attempt(server, session, record, index, at);
        break;
      case 'open':
        this.#open(server, session, record, index, at);
        break;
      case 'close':
        this.#close(server, session, record, index, at);
        break;
      case 'request':
        this.#request(server, session, record, index, at);
        break;
      case 'session':
        this.#session(server, session, record, index, at);
        break;
      case 'evict':
        foldEvict(session, record);
        break;
      case 'client':
        this.#client(session, record, index);
        break;
    }
  }

  #session(server: ServerState, session: SessionState, record: RecordOf<'session'>, index: number, at: number | null): void {
    const moment = foldSession(server, session, record, index, at);
    for (const rule of moments.sessionChanged) rule.see(moment, this.#desk.reportFor(rule.code));
  }

  #client(session: SessionState, record: RecordOf<'client'>, index: number): void {
    // What a client says of itself heals nothing; only that it told its user does.
    if (record.event === 'reported_error') session.told = null;
    const moment = { record, index, session, stream: streamIn(session, record.stream ?? 'get') };
    for (const rule of moments.clientSaid) rule.see(moment, this.#desk.reportFor(rule.code));
  }

  #emit(session: SessionState, record: RecordOf<'emit'>, index: number, at: number | null): void {
    const moment = foldEmit(session, record, index, at);
    foldAnswer(session, record, moment.log, index);
    session.doubt = null;
    if (moment.again === null && moment.restart === null && moment.endedRun === null) return;
    for (const rule of moments.emitted) rule.see(moment, this.#desk.reportFor(rule.code));
  }

  #deliver(server: ServerState, session: SessionState, record: RecordOf<'deliver'>, index: number, at: number | null): void {
    const conn = foldDeliver(server, session, record, index, at);
    for (const rule of moments.delivered) rule.see({ conn, session, index }, this.#desk.reportFor(rule.code));
  }

  #attempt(server: ServerState, session: SessionState, record: RecordOf<'resume_attempt'>, index: number, at: number | null): void {
    this.#endFormer(server, session, record.conn, index, at);
    const { attempt, conn, stream } = foldAttempt(server, session, record, index, at);
    this.#state.attempts.push({ attempt, conn, name: record.conn ?? null, server: server.server, session: session.token });
    const isBusy = record.verdict === 'refused' && (record.code === STREAM_BUSY_CODE || record.reason === 'stream_busy');
    noteUse(session, at, record.verdict === 'resumed' || record.verdict === 'fresh');
    noteRefusedCursor(stream, attempt, isBusy);
    if (record.status === 404) noteNotFound(session, index, true);
    const moment = { attempt, conn, session, stream, serverState: server, record };
    for (const rule of moments.attempted) rule.see(moment, this.#desk.reportFor(rule.code));
    this.#showOpen(session, record, conn, index, at, isBusy);
    if (record.verdict === 'refused' && !isBusy) noteTold(server, session, index, at);
    if (conn !== null) noteWelcome(session);
  }

  #open(server: ServerState, session: SessionState, record: RecordOf<'open'>, index: number, at: number | null): void {
    this.#endFormer(server, session, record.conn, index, at);
    const { status } = record;
    const isAccepted = status === undefined || status === null || (status >= 200 && status < 300);
    const stream = streamIn(session, record.stream ?? 'get');
    const kind = record.method === 'POST' ? 'answer' : 'listener';
    noteUse(session, at, isAccepted);
    const start = {
      name: record.conn ?? `?${stream.stream}`,
      stream: stream.stream,
      kind,
      isAccepted,
      status,
      node: record.node ?? null,
      index,
      at,
    } as const;
    const conn = isAccepted ? startConn(session, start) : null;
    if (conn !== null && kind === 'listener') noteLostCursor(session, stream, conn);
    if (status === 404) noteNotFound(session, index, true);
    this.#showOpen(session, record, conn, index, at, status === 409 || (!isAccepted && record.code === STREAM_BUSY_CODE));
    if (status === 404) noteTold(server, session, index, at);
    if (isAccepted && status !== undefined && status !== null) noteWelcome(session);
  }

  #showOpen(
    session: SessionState,
    record: RecordOf<'open'> | RecordOf<'resume_attempt'>,
    conn: Conn | null,
    index: number,
    at: number | null,
    isBusy: boolean,
  ): void {
    const stream = streamIn(session, record.stream ?? 'get');
    const moment = { conn, record, index, at, session, stream, status: record.status, isBusy };
    for (const rule of moments.opened) rule.see(moment, this.#desk.reportFor(rule.code));
  }

  #close(server: ServerState, session: SessionState, record: RecordOf<'close'>, index: number, at: number | null): void {
    const conn = session.conns.get(record.conn ?? `?${record.stream ?? 'get'}`);
    if (conn === undefined) return;
    addProof(conn, index);
    this.#end(server, session, conn, record.by ?? 'unknown', index, at);
  }

  #endFormer(server: ServerState, session: SessionState, name: string | undefined, index: number, at: number | null): void {
    const former = name === undefined ? undefined : session.conns.get(name);
    if (former !== undefined) this.#end(server, session, former, 'unknown', index, at);
  }

  #end(server: ServerState, session: SessionState, conn: Conn, cause: EndCause, index: number, at: number | null): void {
    session.conns.delete(conn.name);
    for (const call of session.calls.values()) if (call.conn === conn.name) call.isConnOpen = false;
    bequeath(session, conn);
    this.#showEnd(server, session, conn, cause, index, at, this.#desk);
    const { attempt } = conn;
    if (attempt === null) return;
    attempt.assessment = finishedAssessment(conn);
    // Told already, while the connection was open: that it ended otherwise is news.
    if (attempt.told === null || attempt.told === attempt.assessment) return;
    this.#state.attempts.push({ attempt, conn, name: conn.name, server: server.server, session: session.token });
  }

  #showEnd(
    serverState: ServerState,
    session: SessionState,
    conn: Conn,
    cause: EndCause,
    index: number,
    at: number | null,
    desk: Pick<FindingDesk, 'reportFor'>,
  ): void {
    const stream = streamIn(session, conn.stream);
    const log = conn.log ?? logOf(stream, session.generation);
    const hasLaterRecord = log === null || session.lastIndex > log.lastIndex || cause !== 'history';
    const moment: ConnEnd = { conn, session, stream, cause, index, at, hasLaterRecord, serverState };
    for (const rule of moments.ended) rule.see(moment, desk.reportFor(rule.code));
  }

  #request(server: ServerState, session: SessionState, record: RecordOf<'request'>, index: number, at: number | null): void {
    const moment = requestMoment(server, session, record, index, at);
    settleCalls(session);
    if (moment.isInitialize) {
      const token = record.session === null ? server.told.pop() : undefined;
      const healed = token === undefined ? undefined : server.sessions.get(token);
      if (healed !== undefined) {
        healed.told = null;
        healed.notFound = null;
      }
      session.notFound = null;
    } else if (record.status === 404) noteNotFound(session, index, false);
    for (const rule of moments.requested) rule.see(moment, this.#desk.reportFor(rule.code));
    noteUse(session, at, moment.isSuccess);
    if (record.status === 404 && !moment.isInitialize) noteTold(server, session, index, at);
    foldRequest(moment);
    if (moment.isSuccess && !moment.isInitialize && (record.code ?? null) === null) noteWelcome(session);
  }
}

/** What was passed over may still go to another open connection of the stream: each message goes to one of them. */
function bequeath(session: SessionState, conn: Conn): void {
  if (conn.skipped.length === 0) return;
  const heir = othersOn(session, conn).find((other) => other.log === conn.log);
  if (heir === undefined) return;
  for (const range of conn.skipped) addInterval(heir.skipped, range.first, range.last);
  conn.skipped = [];
}

/** The server with its newest time moved to `now`, epoch milliseconds in its records' time. */
function asOf(server: ServerState, now: number | null): ServerState {
  if (now === null || (server.lastAt !== null && server.lastAt >= now)) return server;
  return { ...server, lastAt: now };
}
