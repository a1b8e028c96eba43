import { parsed } from '../guard/answer-watch.js';
import { deliveries } from '../guard/delivered-events.js';
import { SseScanner } from '../guard/sse-scanner.js';
import { streamName } from '../stream-name.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { type RequestFacts, requestFacts } from '../telemetry/rpc-facts.js';
import { asText, CHOICES, NOTE_KINDS, type Note, type NoteNames } from './note.js';
import { sessionNames } from './store-notes.js';

/** Members that every record of an exchange has. */
function commonMembers(note: Note, token: string | null) {
  const version = note.version ?? note.ledger?.protocolVersion;
  return {
    ...sessionNames(note, token),
    ...(note.stream === null ? {} : { stream: streamName(note.stream) }),
    ...(version === undefined ? {} : { protocol_version: version }),
  };
}

const factsIn = (text: Note['text']): RequestFacts | null => requestFacts(parsed(asText(text)));

/** `text` is the body of the request, unless its facts are known; `name` is the content type of the answer. */
export function requestRecord(note: Note, token: string | null, names: NoteNames, facts = factsIn(note.text)): TelemetryRecord {
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

/** `body` is that of the request that opened the stream, unless its facts are known. */
export function openRecord(note: Note, token: string | null, names: NoteNames, facts = factsIn(note.body)): TelemetryRecord {
  const rpcId = facts?.rpc.id;
  const named = rpcId === undefined ? {} : { rpc_id: rpcId };
  const method = note.kind === NOTE_KINDS.open && note.option === CHOICES.byGet ? 'GET' : 'POST';
  const conn = names.connName(note.number);
  return { type: 'open', ...commonMembers(note, token), conn, method, ...named, status: note.status, code: note.code };
}

export function closeRecord(note: Note, token: string | null, names: NoteNames): TelemetryRecord {
  const by = note.option === CHOICES.byClient ? 'client' : 'server';
  return { type: 'close', ...commonMembers(note, token), conn: names.connName(note.number), by };
}

/** `text` is a piece of an event stream that holds whole events; the stream may have been opened or closed with it. */
export function deliverRecords(note: Note, token: string | null, names: NoteNames): readonly TelemetryRecord[] {
  const { text } = note;
  const events = new SseScanner((data) => names.digest(data)).feed(typeof text === 'string' ? Buffer.from(text) : (text ?? ''));
  const delivered = deliveries({ ...commonMembers(note, token), conn: names.connName(note.number) }, events);
  const opened = note.option === CHOICES.opens ? [openRecord(note, token, names)] : [];
  return note.closedAt === 0 ? [...opened, ...delivered] : [...opened, ...delivered, closeAfter(note, token, names)];
}

function closeAfter(note: Note, token: string | null, names: NoteNames): TelemetryRecord {
  const by = note.closedBy === CHOICES.byClient ? 'client' : 'server';
  return { type: 'close', at: note.closedAt, ...commonMembers(note, token), conn: names.connName(note.number), by };
}
