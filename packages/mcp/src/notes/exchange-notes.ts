import { parsed } from '../guard/answer-watch.js';
import { deliveries } from '../guard/delivered-events.js';
import { SseScanner } from '../guard/sse-scanner.js';
import { streamName } from '../stream-name.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { type RequestFacts, requestFacts } from '../telemetry/rpc-facts.js';
import { type Note, type NoteNames, noteText } from './note.js';
import { sessionNames } from './store-notes.js';

/** What the option of a note chooses: whether a `request` carried the session's token, what opened a stream, who closed it. */
export const CHOICES = { withoutToken: 0, withToken: 1, byGet: 0, byPost: 1, byClient: 0, byServer: 1 } as const;

/** Members that every record of an exchange has. */
function commonMembers(note: Note, token: string | null) {
  const version = note.version ?? note.ledger?.protocolVersion;
  return {
    ...sessionNames(note, token),
    ...(note.stream === null ? {} : { stream: streamName(note.stream) }),
    ...(version === undefined ? {} : { protocol_version: version }),
  };
}

const factsIn = (note: Note): RequestFacts | null => requestFacts(parsed(noteText(note)));

/** `text` is the body of the request, unless its facts are known; `name` is the content type of the answer. */
export function requestRecord(note: Note, token: string | null, names: NoteNames, facts = factsIn(note)): TelemetryRecord {
  const { rpc, tool, args } = facts ?? {};
  return {
    type: 'request',
    ...commonMembers(note, token),
    // The token that the request carried: an initialize is told as carrying none.
    session: note.option === CHOICES.withToken ? token : null,
    at: note.at,
    conn: names.connName(note.number),
    ...(rpc === undefined ? {} : { rpc }),
    ...(tool === undefined ? {} : { tool }),
    ...(args === undefined ? {} : { args_digest: names.digest(JSON.stringify(args)) }),
    status: note.status,
    code: note.code,
    content_type: note.name,
  };
}

/** `text` is the body of the request that opened the stream, unless its facts are known. */
export function openRecord(note: Note, token: string | null, names: NoteNames, facts = factsIn(note)): TelemetryRecord {
  const rpcId = facts?.rpc.id;
  const named = rpcId === undefined ? {} : { rpc_id: rpcId };
  const method = note.option === CHOICES.byGet ? 'GET' : 'POST';
  const conn = names.connName(note.number);
  return { type: 'open', ...commonMembers(note, token), conn, method, ...named, status: note.status, code: note.code };
}

export function closeRecord(note: Note, token: string | null, names: NoteNames): TelemetryRecord {
  const by = note.option === CHOICES.byClient ? 'client' : 'server';
  return { type: 'close', ...commonMembers(note, token), conn: names.connName(note.number), by };
}

/** `text` is a piece of an event stream that holds whole events. */
export function deliverRecords(note: Note, token: string | null, names: NoteNames): readonly TelemetryRecord[] {
  const { text } = note;
  const events = new SseScanner((data) => names.digest(data)).feed(typeof text === 'string' ? Buffer.from(text) : (text ?? ''));
  return deliveries({ ...commonMembers(note, token), conn: names.connName(note.number) }, events);
}
