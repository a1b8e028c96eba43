/** The part of a generated test that is the same for every incident: scripted server, client and expectations. */
export const SCRIPTED_SERVER = String.raw`import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';

const WAIT_MS = 10_000;
const conns = new Map(); // connection name -> what the scripted server holds of it
const clients = new Map(); // connection name -> what the client holds of it
const tokens = new Map(); // recorded session -> token issued by the scripted server
const FENCING = ['generation_mismatch', 'generation_unknown', 'session_superseded'];
const fenced = new Set(); // sessions that were refused for their generation: 404 is right from then on, until a new initialize
let script = null; // how the scripted server answers the request that comes next
let instance = 0; // header scripted-instance of every answer: another one after each restart
let scripted;
let target;

beforeAll(async () => {
  scripted = createServer(answer);
  await new Promise((done) => scripted.listen(Number(process.env.SCRIPTED_PORT ?? 0), '127.0.0.1', done));
  target = process.env.TARGET_URL ?? 'http://127.0.0.1:' + scripted.address().port + '/mcp';
});
afterAll(() => {
  for (const client of clients.values()) client.abort.abort();
  scripted.closeAllConnections();
  scripted.close();
});

test(TITLE, { timeout: 120_000 }, async () => {
  for (const [index, record] of RECORDS.entries()) await play(index, record);
});

async function play(index, record) {
  if (record.type === 'boot') restart();
  else if (record.type === 'open' || (record.type === 'request' && record.conn !== undefined)) await open(record);
  else if (record.type === 'emit') for (const id of idsOf(record)) append(record, id);
  else if (record.type === 'close' && record.conn !== undefined) clients.get(record.conn)?.abort.abort();
  else if (record.type === 'deliver' && !clients.get(record.conn)?.isResume) await delivered(record);
  else if (record.type === 'resume_attempt' && record.last_event_id) await resume(index, record);
}

async function open(record) {
  if ((record.status ?? 200) !== 200 || record.session === null) return;
  const post = record.type === 'request' || record.method === 'POST';
  const token = await tokenOf(record.session);
  script = { conn: record.conn, stream: record.stream ?? 'get', session: record.session, frames: [], end: false, status: 200 };
  const body = post ? JSON.stringify({ jsonrpc: '2.0', id: record.rpc?.id ?? record.rpc_id ?? 1, method: 'tools/call', params: { name: record.tool ?? 'tool' } }) : undefined;
  await connect(record.conn, post ? 'POST' : 'GET', { 'mcp-session-id': token }, body);
}

async function resume(index, record) {
  const expected = EXPECTED.find((one) => one.index === index);
  if (expected === undefined) return;
  const token = await tokenOf(record.session);
  const replayed = record.verdict === 'resumed' ? RECORDS.slice(index + 1, endOf(index, record)).filter((next) => next.type === 'deliver' && next.conn === record.conn).flatMap(idsOf) : [];
  const owed = owedAt(index, record, expected);
  const ask = async () => {
    script = { conn: record.conn, stream: record.stream ?? 'get', session: record.session, generation: record.generation, frames: replayed, end: true, status: record.status ?? 503 };
    const client = await connect(record.conn ?? 'resume-' + index, 'GET', { 'mcp-session-id': token, 'last-event-id': record.last_event_id }, undefined);
    client.isResume = true;
    await within(Promise.race([client.ended, ...(owed === null ? [] : [Promise.all(owed.map(client.until))])]), 'the answer to record ' + index + ' to end');
    return client;
  };
  let client = await ask();
  // Cut before anything was served: a client comes back with the same cursor, and then has to be told.
  if (expected.verdict !== 'resume' && client.status === 200 && client.refusal === null && client.ids.size === 0) client = await ask();
  const told = 'record ' + index + ', Last-Event-ID ' + record.last_event_id + ': ' + expected.reason;
  if (expected.verdict === 'resume') expect(client.status, told).toBe(200);
  else if (client.status === 200 && owed?.every((id) => client.ids.has(id))) return;
  else if (client.status === 200) expect(client.refusal, told + ' must not be served as if nothing were missing').not.toBeNull();
  else if (client.status !== 404 || !fenced.has(record.session)) expect(client.status, told).toBe(expected.status);
  if (client.status !== 200 && FENCING.includes(expected.reason)) fenced.add(record.session);
}

// Who retained what the recorded server had lost may serve it, whole: the ids that must then arrive. Null where no retention helps.
function owedAt(index, record, expected) {
  if (!['below_floor', 'hole', 'no_coverage'].includes(expected.reason)) return null;
  const emitted = RECORDS.slice(0, index).filter((one) => one.type === 'emit' && one.session === record.session && (one.stream ?? 'get') === (record.stream ?? 'get')).flatMap(idsOf);
  const cursor = emitted.lastIndexOf(String(record.last_event_id));
  return cursor < 0 ? null : emitted.slice(cursor + 1);
}

// Every connection of the scripted server is gone, as after a restart.
function restart() {
  instance += 1;
  for (const { response } of conns.values()) response.destroy();
  conns.clear();
}

function endOf(index, record) {
  const next = RECORDS.findIndex((later, at) => at > index && later.conn === record.conn && (later.type === 'close' || later.type === 'resume_attempt'));
  return next < 0 ? RECORDS.length : next;
}

function append(record, id) {
  const stream = record.stream ?? 'get';
  for (const conn of conns.values()) {
    if (conn.stream === stream && conn.session === record.session && !conn.response.writableEnded) conn.response.write(frame(id, record.generation));
  }
}

async function delivered(record) {
  const client = clients.get(record.conn);
  const last = idsOf(record).filter((id) => id !== '').at(-1);
  if (client === undefined || last === undefined || record.without_id) return;
  if (conns.get(record.conn)?.written.has(last)) await within(client.until(last), 'event ' + last + ' on ' + record.conn);
}

async function tokenOf(session) {
  const known = tokens.get(session);
  if (known !== undefined) return known;
  const token = 'scripted-' + (tokens.size + 1);
  script = { initialize: token };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tidemark-replay', version: '1' } };
  const response = await fetch(target, { method: 'POST', headers: headersOf({}), body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), signal: AbortSignal.timeout(WAIT_MS) });
  await response.text();
  const issued = response.headers.get('mcp-session-id') ?? token;
  tokens.set(session, issued);
  return issued;
}

async function connect(name, method, headers, body) {
  const abort = new AbortController();
  const client = { abort, ids: new Set(), refusal: null, waiting: [], isResume: false, until: (id) => new Promise((done) => (client.ids.has(id) ? done() : client.waiting.push([id, done]))) };
  clients.set(name, client);
  const response = await within(fetch(target, { method, headers: headersOf(headers), body, signal: abort.signal }), 'an answer on ' + name);
  client.status = response.status;
  client.ended = readEvents(response, client).catch(() => undefined);
  return client;
}

async function readEvents(response, client) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      take(text.slice(0, end), client);
      text = text.slice(end + 2);
    }
  }
}

function take(block, client) {
  const id = /^id: ?(.*)$/m.exec(block)?.[1];
  const data = /^data: ?(.*)$/m.exec(block)?.[1];
  if (data?.includes('"resume_unavailable"') || data?.includes('"session_gone"') || data?.includes('"malformed_cursor"')) client.refusal = data;
  if (id === undefined) return;
  client.ids.add(id);
  for (const [wanted, done] of client.waiting) if (wanted === id) done();
}

const headersOf = (more) => ({ accept: 'application/json, text/event-stream', 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25', ...more });

function answer(request, response) {
  response.setHeader('scripted-instance', String(instance));
  const now = script;
  script = null;
  request.resume();
  if (now?.initialize !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': now.initialize });
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'scripted', version: '1' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
    return;
  }
  if (now === null || now.status !== 200) {
    response.writeHead(now?.status ?? 405, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'scripted refusal' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  const written = new Set();
  const write = response.write.bind(response);
  response.write = (text, ...rest) => {
    written.add(/^id: (.*)$/m.exec(text)?.[1]);
    return write(text, ...rest);
  };
  if (now.conn !== undefined) conns.set(now.conn, { response, stream: now.stream, session: now.session, written });
  for (const id of now.frames) response.write(frame(id, now.generation));
  if (now.end) response.end();
}

const frame = (id, generation) => 'id: ' + id + '\ndata: ' + JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: [id, generation ?? null] } }) + '\n\n';

function idsOf(record) {
  if (record.event_id !== undefined) return [String(record.event_id)];
  if (record.event_ids !== undefined) return record.event_ids.map(String);
  if (record.range === undefined) return [];
  const ids = [];
  for (let next = BigInt(record.range[0]); next <= BigInt(record.range[1]); next++) ids.push(String(next));
  return ids;
}

async function within(promise, what) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error('waited ' + WAIT_MS / 1000 + ' s for ' + what)), WAIT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
`;
