import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { call, postJson, postLines, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

const intake = () => `${edge.base}/api/v1/telemetry`;

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Reply> =>
  call(intake(), { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

const attemptsOf = async (server: string): Promise<Record<string, unknown>[]> => {
  const { body } = await call(`${edge.base}/api/v1/attempts?server=${server}&limit=1000`);
  return body['items'] as Record<string, unknown>[];
};

const zip = (text: string | Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text, { level: 9 }));

describe('a body that cannot be taken is refused with a code', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, string]>([
    ['no JSON', '{"type":', {}, 400, 'malformed_json'],
    ['empty', '', {}, 400, 'malformed_json'],
    ['lines of which none is JSON', 'a\nb', { 'content-type': 'application/x-ndjson' }, 400, 'malformed_json'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}, 400, 'malformed_encoding'],
    ['gzip that ends early', zip(JSON.stringify(attemptRecord())).slice(0, 60), { 'content-encoding': 'gzip' }, 400, 'malformed_encoding'],
    ['no gzip at all', 'plain text', { 'content-encoding': 'gzip' }, 400, 'malformed_encoding'],
    ['another encoding', '[]', { 'content-encoding': 'br' }, 415, 'unsupported_encoding'],
    ['another media type', '[]', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['too many records', `[${'0,'.repeat(100_000)}0]`, {}, 413, 'batch_too_large'],
    ['a gigabyte in a megabyte of gzip', zip(new Uint8Array(1024 ** 3)), { 'content-encoding': 'gzip' }, 413, 'body_too_large'],
  ])('%s', async (_name, body, headers, status, code) => {
    const reply = await post(body, headers);
    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(reply.body).toHaveProperty('error.next_step');
  });

  test('50 MB are refused, whether declared or streamed, and the sender gets to read why', async () => {
    const big = `["${'x'.repeat(50 * 1024 * 1024)}"]`;
    expect(await post(big)).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } });
    const streamed = await call(intake(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([big]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } });
    expect(await call(`${edge.base}/healthz`)).toMatchObject({ status: 200 });
  });
});

describe('a record that cannot be read is refused alone', () => {
  test.each<[string, unknown, string]>([
    ['a record of a future type', { type: 'teleport' }, 'type'],
    ['no object', 7, ''],
    ['null', null, ''],
    ['a floor above head + 1', attemptRecord({ floor: 1102, head: 1100 }), 'floor'],
    ['a cursor past 2^63 − 1', attemptRecord({ cursor: '9223372036854775808' }), 'cursor'],
    ['a head of twenty digits', attemptRecord({ head: '18446744073709551616' }), 'head'],
    ['a negative cursor', attemptRecord({ cursor: -1 }), 'cursor'],
    ['a fraction', attemptRecord({ floor: 1.5 }), 'floor'],
    ['a wrong type deep inside', attemptRecord({ holes: [[1050, 'x']] }), 'holes[0][1]'],
    [
      'ranges out of order',
      attemptRecord({
        holes: [
          [1060, 1061],
          [1050, 1051],
        ],
      }),
      'holes[1][0]',
    ],
    ['an id that is no UUID', attemptRecord({ id: 'mine' }), 'id'],
    ['a date that does not exist', attemptRecord({ at: '2026-13-45T00:00:00Z' }), 'at'],
    ['a control character in a name', attemptRecord({ server: 'a\u0000b' }), 'server'],
    ['an unheard-of verdict', attemptRecord({ verdict: 'maybe' }), 'verdict'],
  ])('%s', async (_name, bad, path) => {
    const server = `kept-${randomUUID()}`;
    const reply = await postJson(intake(), [attemptRecord({ server }), bad, attemptRecord({ server })]);
    expect(reply).toMatchObject({ status: 202, body: { accepted: 2, duplicate: 0, rejected: [{ index: 1, path }] } });
    expect(await attemptsOf(server)).toHaveLength(2);
  });

  test('nesting that could not be read back is refused, and does not break its batch', async () => {
    const server = `deep-${randomUUID()}`;
    const deep = `${'{"a":['.repeat(20_000)}1${']}'.repeat(20_000)}`;
    const lines = [JSON.stringify(attemptRecord({ server })), `{"type":"boot","server":"${server}","note":${deep}}`];
    expect(await postLines(intake(), lines)).toMatchObject({ status: 202, body: { accepted: 1, rejected: [{ index: 1 }] } });
  });

  test('lines that only together are JSON are not taken for records', async () => {
    const lines = ['{"type":"boot","server":"split', 'name"}', '{"type":"boot"},{"type":"boot"}'];
    expect(await postLines(intake(), [...lines, '{"type":"boot"}'])).toMatchObject({
      status: 202,
      body: { accepted: 1, rejected: [{ index: 0 }, { index: 1 }, { index: 2 }] },
    });
  });
});

describe('what is odd but allowed is stored as it was sent', () => {
  test('positions beyond 2^53 keep every digit, as numbers and as text', async () => {
    const server = `exact-${randomUUID()}`;
    const record = JSON.stringify(attemptRecord({ server, cursor: '@', floor: 5, head: '9223372036854775807', last_event_id: 'x' }));
    expect(await post(record.replace('"@"', '9007199254740993'))).toMatchObject({ status: 202, body: { accepted: 1 } });
    const [item] = await attemptsOf(server);
    expect(item).toMatchObject({
      cursor: '9007199254740993',
      head: '9223372036854775807',
      decision: { verdict: 'resume', replay: { from: '9007199254740994', count: '9214364837600034814' } },
    });
  });

  test('NUL and half surrogates in ids, revisions and names do not break the batch', async () => {
    const server = `odd-${randomUUID()}`;
    const odd = [
      attemptRecord({ server, last_event_id: 'a\u0000b', cursor: null }),
      attemptRecord({ server, protocol_version: '\u0000', generation: '\ud800', requested_generation: '\ud800' }),
      attemptRecord({ server: `${server}\ud800`, node: '\udfff', client: { name: '\ud800' }, stream: '\ud800' }),
      attemptRecord({ server, latency_ms: 1e308, status: 999 }),
    ];
    expect(await postJson(intake(), odd)).toMatchObject({ status: 202, body: { accepted: 4, rejected: [] } });
    const items = await attemptsOf(server);
    expect(items).toHaveLength(3);
    expect(items.map((item) => item['last_event_id'])).toContain('a\u0000b');
  });

  test('unknown members are kept', async () => {
    const server = `extra-${randomUUID()}`;
    await postJson(intake(), attemptRecord({ server, 'x-extra': { deep: [1, 2] } }));
    expect(await attemptsOf(server)).toMatchObject([{ 'x-extra': { deep: [1, 2] } }]);
  });

  test('a clock far off is noted, not believed; sent twice the record is stored once', async () => {
    const server = `skewed-${randomUUID()}`;
    const records = [attemptRecord({ server, at: 0 }), attemptRecord({ server, at: '9998-01-01T00:00:00Z' })];
    expect((await postJson(intake(), records)).body).toMatchObject({ accepted: 2, duplicate: 0 });
    expect((await postJson(intake(), records)).body).toMatchObject({ accepted: 0, duplicate: 2 });
    const items = await attemptsOf(server);
    expect(items).toHaveLength(2);
    for (const item of items) {
      expect(item['clock_skew_ms']).toBeTypeOf('number');
      expect(item['at']).toBe(item['received_at']);
    }
  });

  test('a record without an instant, sent twice, is stored once', async () => {
    const server = `undated-${randomUUID()}`;
    const { at: _at, ...undated } = attemptRecord({ server });
    expect((await postJson(intake(), undated)).body).toMatchObject({ accepted: 1, duplicate: 0 });
    expect((await postJson(intake(), [undated, undated])).body).toMatchObject({ accepted: 0, duplicate: 2 });
    expect(await attemptsOf(server)).toHaveLength(1);
  });

  test('the same batch from many senders at once is stored once, and every record is told to one of them', async () => {
    const server = `raced-${randomUUID()}`;
    const batch = Array.from({ length: 200 }, () => attemptRecord({ server }));
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => postJson(intake(), i % 2 === 0 ? batch : batch.toReversed())));
    expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(202));
    expect(replies.reduce((sum, reply) => sum + Number(reply.body['accepted']), 0)).toBe(200);
    expect(replies.reduce((sum, reply) => sum + Number(reply.body['duplicate']), 0)).toBe(1400);
    expect(await attemptsOf(server)).toHaveLength(200);
  });
});

describe('the edge stays up', () => {
  test('100,000 tiny requests are all answered', async () => {
    const server = `tiny-${randomUUID()}`;
    const connections = 20;
    const each = 5_000;
    const body = JSON.stringify({ type: 'boot', server });
    const request = `POST /api/v1/telemetry HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const answered = await Promise.all(Array.from({ length: connections }, () => pipeline(request, each)));
    expect(answered).toEqual(Array(connections).fill(each));
    const metrics = await (await fetch(`${edge.base}/metrics`)).text();
    expect(Number(/tidemark_records_stored_total\{type="boot"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(connections * each);
  });

  test('requests under a foreign host name are refused, so that a rebound name reads nothing', async () => {
    const { port } = new URL(edge.base);
    const answer = await exchange(Number(port), 'GET /api/v1/attempts HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*host_not_allowed/);
  });

  test('a write from a page of another origin is refused', async () => {
    const reply = await post(JSON.stringify(attemptRecord()), { origin: 'http://elsewhere.example' });
    expect(reply).toMatchObject({ status: 403, body: { error: { code: 'cross_origin' } } });
  });

  test.each([
    ['PUT', '/api/v1/verdict', 405, 'method_not_allowed', 'POST'],
    ['POST', '/api/v1/attempts', 405, 'method_not_allowed', 'GET, HEAD'],
    ['GET', '/api/v1/nothing', 404, 'not_found', null],
    ['GET', '/api/v1/sessions/%ff', 404, 'not_found', null],
    ['GET', '/api/v1/sessions/{ref}', 404, 'not_found', null],
  ])('%s %s is %i', async (method, path, status, code, allow) => {
    const reply = await call(`${edge.base}${path}`, { method });
    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(reply.headers.get('allow')).toBe(allow);
  });

  test('HEAD answers as GET does, without the body', async () => {
    const reply = await fetch(`${edge.base}/healthz`, { method: 'HEAD' });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe('');
  });
});

/** Sends one request many times over one connection without waiting, and counts the answers of status 202. */
function pipeline(request: string, times: number): Promise<number> {
  const { port } = new URL(edge.base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let answered = 0;
    let rest = '';
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1');
      const parts = text.split('HTTP/1.1 202');
      answered += parts.length - 1;
      rest = text.slice(-11).includes('HTTP/1.1 202') ? '' : text.slice(-11);
      if (answered >= times) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answered));
    for (let sent = 0; sent < times; sent += 500) socket.write(request.repeat(Math.min(500, times - sent)));
  });
}

function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
