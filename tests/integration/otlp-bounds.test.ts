import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { call, type Reply } from './api-client';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
  return Buffer.from(bytes);
}

/** A field of protobuf that holds bytes, text or a message. */
function field(id: number, ...content: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(id * 8 + 2), varint(bytes.length), bytes]);
}

const times = (count: number, bytes: Buffer): Buffer => Buffer.alloc(bytes.length * count, bytes);
const keyValue = (id: number, key: string, value: string): Buffer => field(id, field(1, key), field(2, field(1, value)));
/** `ResourceLogs` and `ResourceSpans` are numbered alike. */
const exportOf = (units: Buffer, resource: readonly Buffer[] = []): Buffer => field(1, field(1, ...resource), field(2, units));

async function send(
  kind: 'logs' | 'traces',
  body: Buffer,
  contentType = 'application/x-protobuf',
): Promise<{ status: number; said: string }> {
  const headers = { 'content-type': contentType, 'content-encoding': 'gzip' };
  const response = await fetch(`${edge.base}/v1/${kind}`, { method: 'POST', headers, body: new Uint8Array(gzipSync(body)) });
  return { status: response.status, said: Buffer.from(await response.arrayBuffer()).toString('latin1') };
}

/** A log record that is a boot of this server. */
const bootOf = (server: string, more: Buffer = Buffer.alloc(0)): Buffer =>
  field(2, keyValue(6, 'tidemark.type', 'boot'), keyValue(6, 'tidemark.server', server), more);

async function bootsOf(server: string): Promise<number> {
  const [row] = await edge.sql<{ count: number }[]>`
    select count(*)::int as count from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return row?.count ?? 0;
}

describe('an export in protobuf that unfolds to more than may be held is refused before it is decoded', () => {
  test.each([
    { name: 'empty log records', kind: 'logs' as const, body: exportOf(times(15_000_000, field(2))) },
    { name: 'log records with an empty attribute', kind: 'logs' as const, body: exportOf(times(8_000_000, field(2, field(6)))) },
    { name: 'one log record more than may be', kind: 'logs' as const, body: exportOf(times(100_001, field(2))) },
    { name: 'spans', kind: 'traces' as const, body: exportOf(times(10_000_000, field(2))) },
    { name: 'events of one span', kind: 'traces' as const, body: exportOf(field(2, times(10_000_000, field(11)))) },
    { name: 'attributes of one log record', kind: 'logs' as const, body: exportOf(field(2, times(10_000_000, field(6)))) },
    { name: 'attributes of the resource', kind: 'logs' as const, body: exportOf(field(2), [times(10_000_000, field(1))]) },
    { name: 'resources', kind: 'logs' as const, body: times(15_000_000, field(1)) },
    {
      name: 'values of one list',
      kind: 'logs' as const,
      body: exportOf(field(2, field(6, field(2, field(5, times(10_000_000, field(1))))))),
    },
  ])('$name', async ({ kind, body }) => {
    const { status, said } = await send(kind, body);
    expect({ status, said }).toMatchObject({ status: 413, said: expect.stringContaining('batch_too_large') });
  });

  test('values nested without end', async () => {
    let value = field(1, 'x');
    for (let depth = 0; depth < 5_000; depth++) value = field(5, field(1, value));
    const { status, said } = await send('logs', exportOf(field(2, field(6, field(1, 'key'), field(2, value)))));
    expect({ status, said }).toMatchObject({ status: 400, said: expect.stringContaining('malformed_protobuf') });
  });
});

describe('what many records share', () => {
  test('counts for each of them', async () => {
    const server = `shared-${randomUUID()}`;
    const resource = [keyValue(1, 'tidemark.note', 'x'.repeat(100_000))];
    const { status, said } = await send('logs', exportOf(times(1_000, bootOf(server)), resource));
    expect({ status, said }).toMatchObject({ status: 413, said: expect.stringContaining('batch_too_large') });
    expect(await bootsOf(server)).toBe(0);
  });

  test('counts for nothing where no record takes it', async () => {
    const server = `shared-${randomUUID()}`;
    const resource = [keyValue(1, 'another.note', 'x'.repeat(100_000))];
    expect((await send('logs', exportOf(times(1_000, bootOf(server)), resource))).status).toBe(200);
    expect(await bootsOf(server)).toBe(1_000);
  });

  test('is read once for the events of a span, however many they are', async () => {
    const attributes = Array.from({ length: 20_000 }, (_, i) => keyValue(9, `attribute.${i}`, 'x'));
    const { status, said } = await send('traces', exportOf(field(2, ...attributes, times(90_000, field(11, field(2, 'event'))))));
    expect({ status, said }).toMatchObject({ status: 200, said: expect.stringContaining('1 without tidemark.type were not stored') });
  });
});

test('a hundred thousand strangers are taken, and the record among them is stored', async () => {
  const server = `among-${randomUUID()}`;
  const { status, said } = await send('logs', exportOf(Buffer.concat([times(99_999, field(2)), bootOf(server)])));
  expect({ status, said }).toMatchObject({ status: 200, said: expect.stringContaining('99999 without tidemark.type were not stored') });
  expect(await bootsOf(server)).toBe(1);
});

describe('JSON of more values than may be held is refused before any of it is built', () => {
  const MIB = 1024 * 1024;
  const post = (path: string, text: string): Promise<Reply> =>
    call(`${edge.base}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  const logs = (records: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${records}]}]}]}`;

  test.each([
    { name: 'telemetry, as records', path: '/api/v1/telemetry', text: `[${'{},'.repeat(10 * MIB)}{}]` },
    { name: 'telemetry, in one record', path: '/api/v1/telemetry', text: `[[${'[],'.repeat(10 * MIB)}[]]]` },
    { name: 'an export, as log records', path: '/v1/logs', text: logs(`${'{},'.repeat(10 * MIB)}{}`) },
    { name: 'an export, one log record more than may be', path: '/v1/logs', text: logs(`${'{},'.repeat(100_000)}{}`) },
  ])('$name', async ({ path, text }) => {
    expect(await post(path, text)).toMatchObject({ status: 413, body: { error: { code: 'batch_too_large' } } });
  });
});
