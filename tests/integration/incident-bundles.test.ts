import { readdirSync, readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { IncidentDetail, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import { Timeline } from '@/lib/wire/timeline-responses';
import { call, postJson } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

interface RecordedCase {
  readonly case: string;
  readonly title: string;
  readonly records: Record<string, unknown>[];
  readonly expect: { readonly findings?: readonly { readonly code: string }[] };
}

const recorded = readdirSync('tests/histories').flatMap(
  (file) => parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[],
);

let here: TestDatabase;
let there: TestDatabase;
let edge: Edge;
let other: Edge;

beforeAll(async () => {
  [here, there] = await Promise.all([startTestDatabase(), startTestDatabase()]);
  edge = await startEdge(here.postgres.connection);
  other = await startEdge(
    there.postgres.connection,
    {},
    { secret: new TextEncoder().encode('another secret of thirty-two bytes or more') },
  );
});

afterAll(async () => {
  await Promise.all([edge?.stop(), other?.stop()]);
  await Promise.all([here?.stop(), there?.stop()]);
});

const read = async (base: string, path: string, schema: TSchema): Promise<Record<string, unknown>> => {
  const reply = await call(`${base}${path}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect([...Compile(schema).Errors(reply.body)], JSON.stringify(reply.body)).toEqual([]);
  return reply.body;
};

async function importInto(base: string, body: string): Promise<string> {
  const reply = await call(`${base}/api/v1/incidents/import`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return String(reply.body['id']);
}

const bundleOf = async (base: string, id: string): Promise<string> => (await fetch(`${base}/api/v1/incidents/${id}/bundle`)).text();
const timelineOf = async (base: string, id: string) =>
  (await read(base, `/api/v1/incidents/${id}/timeline?limit=10000`, Timeline))['steps'];

describe('an incident travels', () => {
  test.each(recorded)('$case: same findings, timeline and bytes in another install', async ({ title, records, expect: expected }) => {
    const id = await importInto(edge.base, JSON.stringify({ title, records }));
    const detail = await read(edge.base, `/api/v1/incidents/${id}`, IncidentDetail);
    expect(detail).toMatchObject({ id, title, records: records.length, origin: 'imported', findings_current: true });
    for (const { code } of expected.findings ?? []) expect(detail['findings']).toContainEqual(expect.objectContaining({ code }));
    const bundle = await bundleOf(edge.base, id);
    const copy = await importInto(other.base, bundle);
    expect(await bundleOf(other.base, copy)).toBe(bundle);
    expect(await timelineOf(other.base, copy)).toEqual(await timelineOf(edge.base, id));
    const detailThere = await read(other.base, `/api/v1/incidents/${copy}`, IncidentDetail);
    for (const member of ['findings', 'consequences', 'sessions', 'server', 'severity', 'cause', 'sentence', 'toll']) {
      expect(detailThere[member], member).toEqual(detail[member]);
    }
  });

  test('no session token of a history is stored, not even one that looks like a reference', async () => {
    const token = 'deadbeefdeadbeefdeadbeefdeadbeef';
    const records = [{ type: 'emit', event_id: '1', session: token, server: 's' }];
    for (const body of [
      { title: 'bare', records },
      { tidemark_bundle: 1, incident: { title: 'by hand' }, records },
    ]) {
      const id = await importInto(edge.base, JSON.stringify(body));
      expect(await bundleOf(edge.base, id)).not.toContain(token);
      const lines = await (await fetch(`${edge.base}/api/v1/incidents/${id}/records`)).text();
      expect(lines).not.toContain(token);
    }
  });

  test('its records come in pages that a reader can join', async () => {
    const records = Array.from({ length: 25 }, (_, n) => ({ type: 'emit', event_id: String(n) }));
    const id = await importInto(edge.base, JSON.stringify({ title: 'pages', records }));
    const lines: string[] = [];
    let next: string | null = 'step-0';
    while (next !== null) {
      const page: Response = await fetch(`${edge.base}/api/v1/incidents/${id}/records?limit=10&cursor=${next}`);
      lines.push(...(await page.text()).trimEnd().split('\n'));
      next = page.headers.get('tidemark-next');
    }
    expect(lines.map((line) => (JSON.parse(line) as { event_id: string }).event_id)).toEqual(records.map(({ event_id }) => event_id));
    const steps: unknown[] = [];
    let cursor: unknown = 'step-0';
    while (cursor !== null) {
      const page = await read(edge.base, `/api/v1/incidents/${id}/timeline?limit=7&cursor=${String(cursor)}`, Timeline);
      steps.push(...(page['steps'] as unknown[]));
      cursor = page['next'];
    }
    expect(steps).toEqual(await timelineOf(edge.base, id));
  });

  test('the list and the log show it', async () => {
    const id = await importInto(edge.base, JSON.stringify({ title: 'listed', records: [{ type: 'boot', server: 'only-here' }] }));
    const page = await read(edge.base, '/api/v1/incidents?server=only-here', IncidentPage);
    expect(page).toMatchObject({
      items: [{ id, title: 'listed', state: 'open', server: 'only-here' }],
      counts: { open: 1, quiet: 0, resolved: 0 },
    });
    expect(await read(edge.base, '/api/v1/incidents?server=only-here&state=resolved', IncidentPage)).toMatchObject({
      items: [],
      counts: { open: 1 },
    });
    expect(await read(edge.base, `/api/v1/incidents/${id}/log`, IncidentLog)).toMatchObject({ items: [{ type: 'imported' }] });
  });
});

describe('a bundle that cannot be read whole leaves nothing', () => {
  const good = { tidemark_bundle: 1, incident: { title: 'x' }, records: [{ type: 'emit', event_id: '1' }] };
  const text = JSON.stringify(good);
  const position = (cursor: string) => `{"title":"x","records":[{"type":"resume_attempt","verdict":"resumed","cursor":${cursor}}]}`;
  const nested = () => `{"title":"x","records":[{"type":"emit","event_id":"1","more":${'['.repeat(200)}${']'.repeat(200)}}]}`;
  test.each([
    ['cut short', text.slice(0, -3), 400, 'bundle_truncated', `offset ${text.length - 3}`],
    ['no JSON', '{"title":}', 400, 'bundle_malformed', undefined],
    ['of another version', JSON.stringify({ ...good, tidemark_bundle: 2 }), 400, 'bundle_version_unsupported', 'tidemark_bundle'],
    ['edited', JSON.stringify({ ...good, content_sha256: 'ab' }), 400, 'bundle_edited', 'content_sha256'],
    ['without a title', JSON.stringify({ records: [] }), 400, 'bundle_invalid', 'title'],
    [
      'with a bad record',
      JSON.stringify({ title: 'x', records: [{ type: 'boot' }, { type: 'emit' }] }),
      400,
      'bundle_invalid',
      'records[1].event_id',
    ],
    ['nested without end', `{"title":"x","records":${'['.repeat(100_000)}`, 400, 'bundle_too_deep', undefined],
    ['an array', '[]', 400, 'bundle_invalid', ''],
    ['nothing at all', '', 400, 'bundle_truncated', undefined],
    ['of a version that is text', JSON.stringify({ ...good, tidemark_bundle: '1' }), 400, 'bundle_version_unsupported', 'tidemark_bundle'],
    ['with a position beyond 2^63', position('9223372036854775808'), 400, 'bundle_invalid', 'records[0].cursor'],
    ['with a position that no number holds', position('1e999'), 400, 'bundle_invalid', 'records[0].cursor'],
    ['with a fraction of a position', position('1.5'), 400, 'bundle_invalid', 'records[0].cursor'],
    [
      'with a record that is a prototype',
      '{"title":"x","records":[{"__proto__":{"type":"emit","event_id":"1"}}]}',
      400,
      'bundle_invalid',
      'records[0].type',
    ],
    ['with records named twice, the last of them bad', '{"title":"x","records":[],"records":7}', 400, 'bundle_invalid', 'records'],
    ['nested inside a record', nested(), 400, 'bundle_too_deep', undefined],
    ['over 100 MB', `{"title":"x","records":["${'x'.repeat(135_000_000)}"]}`, 413, undefined, undefined],
  ])('%s', async (_name, body, status, code, path) => {
    const before = await read(edge.base, '/api/v1/incidents', IncidentPage);
    const reply = await call(`${edge.base}/api/v1/incidents/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(reply, JSON.stringify(reply.body).slice(0, 1_000)).toMatchObject({
      status,
      body: { error: { ...(code === undefined ? {} : { code }), ...(path === undefined ? {} : { path }) } },
    });
    expect((reply.body['error'] as Record<string, unknown>)['next_step']).toBeTypeOf('string');
    expect((await read(edge.base, '/api/v1/incidents', IncidentPage))['counts']).toEqual(before['counts']);
  });

  test('a bundle in which one record was edited is refused', async () => {
    const bundle = await bundleOf(edge.base, await importInto(edge.base, text));
    const edited = bundle.replace('"event_id":"1"', '"event_id":"2"');
    expect(edited).not.toBe(bundle);
    const headers = { 'content-type': 'application/json' };
    const reply = await call(`${edge.base}/api/v1/incidents/import`, { method: 'POST', headers, body: edited });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'bundle_edited', path: 'content_sha256' } } });
  });

  test('text that no table can hold is kept in the bundle and shown without harm', async () => {
    const incident = { title: 'nul \0 title', server: 'a\0b', opened_at: '-271821-04-20T00:00:00Z' };
    const id = await importInto(edge.base, JSON.stringify({ ...good, incident }));
    expect(JSON.parse(await bundleOf(edge.base, id))).toMatchObject({ incident });
  });

  test('what is not there is not found', async () => {
    for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
      for (const path of ['', '/log', '/timeline', '/records', '/bundle']) {
        expect(await call(`${edge.base}/api/v1/incidents/${id}${path}`)).toMatchObject({
          status: 404,
          body: { error: { code: 'not_found' } },
        });
      }
    }
    expect(await postJson(`${edge.base}/api/v1/incidents`, {})).toMatchObject({ status: 405 });
  });
});
