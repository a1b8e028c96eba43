import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import protobuf from 'protobufjs/light.js';
import { describe, expect, test } from 'vitest';
import { call, type Reply } from './api-client';
import { startTestDatabase } from './database';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

/** A google.rpc.Status of a protobuf answer. */
const statusOf = (bytes: ArrayBuffer): unknown => {
  const nested = { Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } } };
  return protobuf.Root.fromJSON({ nested }).lookupType('Status').decode(new Uint8Array(bytes));
};

const attempts = async (server: string): Promise<Record<string, unknown>[]> => {
  const { body } = await call(`${edge.base}/api/v1/attempts?server=${server}`);
  return body['items'] as Record<string, unknown>[];
};

const recordsOf = async (server: string): Promise<Record<string, unknown>[]> => {
  const rows = await edge.sql<{ body: string }[]>`
    select r.body from record r join server s on s.id = r.server_id where s.name = ${server} order by r.arrival`;
  return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
};

/** What an instrumentation says of a resume that lost a hole's worth of events in silence. */
const ATTEMPT = {
  'tidemark.type': 'resume_attempt',
  'tidemark.last_event_id': '1041',
  'tidemark.cursor': 1041,
  'tidemark.requested_generation': 3,
  'tidemark.session_state': 'live',
  'tidemark.floor': 1000,
  'tidemark.head': 1100,
  'tidemark.holes': [1050, 1051, 1060, 1060],
  'tidemark.verdict': 'resumed',
  'tidemark.client.name': 'probe',
  'tidemark.client.version': '2.0',
  'mcp.session.id': 'token-of-otlp',
  'mcp.protocol.version': '2025-11-25',
  'http.response.status_code': 200,
};

const resourceOf = (server: string) =>
  resourceFromAttributes({ 'service.name': server, 'service.instance.id': 'pod-7', 'tidemark.generation': 3 });

const JUDGED = {
  node: 'pod-7',
  generation: 3,
  status: 200,
  protocol_version: '2025-11-25',
  client: { name: 'probe', version: '2.0' },
  assessment: 'unsafe_resume',
  decision: { reason: 'hole', gap: { count: 3 } },
};

describe('the OpenTelemetry SDK', () => {
  test.each([
    { encoding: 'JSON', open: (url: string) => new JsonLogs({ url }) },
    { encoding: 'protobuf', open: (url: string) => new ProtoLogs({ url }) },
  ])('exports log records as $encoding, which are judged and stored', async ({ open }) => {
    const server = `otlp-${randomUUID()}`;
    const exporter = open(`${edge.base}/v1/logs`);
    const provider = new LoggerProvider({ resource: resourceOf(server), processors: [new BatchLogRecordProcessor({ exporter })] });
    const logger = provider.getLogger('test');
    const timestamp = Date.now() - 5_000;
    logger.emit({ timestamp, attributes: ATTEMPT, body: 'the body is not kept' });
    logger.emit({ eventName: 'tidemark.emit', attributes: { 'tidemark.event_ids': ['1', '2'], 'mcp.session.id': 'token-of-otlp' } });
    logger.emit({ attributes: { unrelated: true }, body: 'not ours' });
    await provider.forceFlush();
    await provider.shutdown();

    const [item, ...others] = await attempts(server);
    expect(others).toEqual([]);
    expect(item).toMatchObject({ ...JUDGED, at: new Date(timestamp).toISOString() });
    expect(JSON.stringify(item)).not.toMatch(/token-of-otlp|the body is not kept/);
    expect(await recordsOf(server)).toMatchObject([{ type: 'emit', event_ids: ['1', '2'] }]);
  });

  test.each([
    { encoding: 'JSON', open: (url: string) => new JsonTraces({ url }) },
    { encoding: 'protobuf', open: (url: string) => new ProtoTraces({ url }) },
  ])('exports spans and their events as $encoding, which are judged and stored', async ({ open }) => {
    const server = `otlp-${randomUUID()}`;
    const exporter = open(`${edge.base}/v1/traces`);
    const provider = new TracerProvider({ resource: resourceOf(server), spanProcessors: [new BatchSpanProcessor({ exporter })] });
    const tracer = provider.getTracer('test');
    const span = tracer.startSpan('GET /mcp', { attributes: ATTEMPT });
    span.addEvent('tidemark.deliver', { 'tidemark.range': [1042, 1100], 'tidemark.conn': 'c1' });
    span.addEvent('cache miss');
    span.end();
    const request = tracer.startSpan('tools/call search', {
      attributes: {
        'tidemark.type': 'request',
        'mcp.method.name': 'tools/call',
        'jsonrpc.request.id': '7',
        'gen_ai.tool.name': 'search',
        'rpc.response.status_code': '-32602',
        'tidemark.null': ['session'],
      },
    });
    request.end();
    tracer.startSpan('unrelated').end();
    await provider.forceFlush();
    await provider.shutdown();

    expect(await attempts(server)).toMatchObject([JUDGED]);
    const stored = await recordsOf(server);
    expect(stored).toMatchObject([
      { type: 'deliver', range: [1042, 1100], conn: 'c1' },
      { type: 'request', rpc: { method: 'tools/call', id: '7' }, tool: 'search', code: -32602, session: null },
    ]);
  });
});

/** The log records of one export in JSON, each given by its attributes. */
function logsOf(server: string, ...records: Record<string, unknown>[]): object {
  const attributes = (members: Record<string, unknown>) => Object.entries(members).map(([key, value]) => ({ key, value: anyValue(value) }));
  const logRecords = records.map((members) => ({ timeUnixNano: `${Date.now()}000000`, attributes: attributes(members) }));
  return { resourceLogs: [{ resource: { attributes: attributes({ 'service.name': server }) }, scopeLogs: [{ logRecords }] }] };
}

function anyValue(value: unknown): object {
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value };
}

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Reply> =>
  call(`${edge.base}/v1/logs`, { method: 'POST', headers, body });
const JSON_TYPE = { 'content-type': 'application/json' };

describe('an export', () => {
  test('sent again, gzipped or not, is stored once', async () => {
    const server = `otlp-${randomUUID()}`;
    const text = JSON.stringify(logsOf(server, ATTEMPT, ATTEMPT));
    expect(await post(text, JSON_TYPE)).toMatchObject({ status: 200, body: {} });
    expect(await post(new Uint8Array(gzipSync(text)), { ...JSON_TYPE, 'content-encoding': 'gzip' })).toMatchObject({ status: 200 });
    expect((await attempts(server)).length).toBe(2);
  });

  test('with a span sent again among others is stored once', async () => {
    const server = `otlp-${randomUUID()}`;
    const span = (spanId: string) => ({
      traceId: '5B8EFFF798038103D269B633813FC60C',
      spanId,
      startTimeUnixNano: '1796000000000000000',
      attributes: [
        { key: 'tidemark.type', value: { stringValue: 'boot' } },
        { key: 'tidemark.server', value: { stringValue: server } },
      ],
    });
    const spansOf = (...spans: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    for (const body of [spansOf(span('EEE19B7EC3C1B174')), spansOf(span('eee19b7ec3c1b175'), span('eee19b7ec3c1b174'))]) {
      expect((await call(`${edge.base}/v1/traces`, { method: 'POST', headers: JSON_TYPE, body })).status).toBe(200);
    }
    expect((await recordsOf(server)).length).toBe(2);
  });

  test('is partly successful when some of it cannot be read, and says which', async () => {
    const server = `otlp-${randomUUID()}`;
    const reply = await post(JSON.stringify(logsOf(server, ATTEMPT, { ...ATTEMPT, 'tidemark.cursor': -1 }, { other: 'x' })), JSON_TYPE);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      partialSuccess: {
        rejectedLogRecords: '1',
        errorMessage: expect.stringMatching(/^1: cursor must be .*; 1 without tidemark\.type were not stored$/),
      },
    });
    expect((await attempts(server)).length).toBe(1);
  });

  test('keeps every digit of a position, and an explicit null', async () => {
    const server = `otlp-${randomUUID()}`;
    const members = { ...ATTEMPT, 'tidemark.cursor': null, 'tidemark.last_event_id': 'opaque', 'tidemark.head': '9223372036854775807' };
    expect((await post(JSON.stringify(logsOf(server, members)), JSON_TYPE)).body).toEqual({});
    const [item] = await attempts(server);
    expect(item).toMatchObject({ cursor: null, head: '9223372036854775807' });
  });

  test.each([
    { name: 'no JSON', body: '{"resourceLogs":', code: 'malformed_json' },
    { name: 'another shape', body: '{"resourceLogs":{}}', code: 'invalid_field' },
  ])('that is $name is refused with a status of OTLP and our own code', async ({ body, code }) => {
    const reply = await post(body, JSON_TYPE);
    expect(reply).toMatchObject({ status: 400, body: { code: 3, message: expect.stringContaining(code), error: { code } } });
  });

  test('in protobuf that is none is refused in protobuf', async () => {
    const headers = { 'content-type': 'application/x-protobuf' };
    const response = await fetch(`${edge.base}/v1/logs`, { method: 'POST', headers, body: new Uint8Array([255, 255, 255]) });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/x-protobuf');
    expect(statusOf(await response.arrayBuffer())).toMatchObject({
      code: 3,
      message: expect.stringMatching(/^malformed_protobuf: /),
    });
  });

  test.each([
    { name: 'without a key', key: null, status: 401, code: 16, said: 'key_missing' },
    { name: 'with an unknown key', key: 'a-key-that-nobody-gave-out', status: 403, code: 7, said: 'key_unknown' },
    { name: 'with a key that may only read', key: 'a-key-that-may-only-read', status: 403, code: 7, said: 'scope_missing' },
  ])('$name is refused with a status of OTLP in the encoding of the request', async ({ key, status, code, said }) => {
    const keys = [{ name: 'reader', key: 'a-key-that-may-only-read', scopes: ['read'] as const }];
    const guarded = await startEdge(edge.database.postgres.connection, {}, { auth: 'on', keys });
    const send = (contentType: string, body: BodyInit) =>
      fetch(`${guarded.base}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': contentType, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        body,
      });
    const inJson = await send('application/json', '{}');
    expect(inJson.status).toBe(status);
    expect(await inJson.json()).toMatchObject({ code, message: expect.stringContaining(said), error: { code: said } });
    const inProtobuf = await send('application/x-protobuf', new Uint8Array());
    expect(inProtobuf.status).toBe(status);
    expect(inProtobuf.headers.get('content-type')).toBe('application/x-protobuf');
    expect(statusOf(await inProtobuf.arrayBuffer())).toMatchObject({ code, message: expect.stringContaining(said) });
    await guarded.stop();
  });

  test('is refused with retry-after while the database is away, as exporters expect it', async () => {
    const own = await startTestDatabase();
    const away = await startEdge(own.postgres.connection);
    await own.postgres.stop();
    const body = JSON.stringify(logsOf('away', ATTEMPT));
    const reply = await call(`${away.base}/v1/logs`, { method: 'POST', headers: JSON_TYPE, body });
    expect(reply).toMatchObject({ status: 503, body: { code: 14, error: { code: 'database_unavailable' } } });
    expect(reply.headers.get('retry-after')).toBe('1');
    await away.stop();
    await own.stop();
  });
});
