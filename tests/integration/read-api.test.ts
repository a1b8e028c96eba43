import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { SessionFindings } from '@/lib/audit/answer-schema';
import { LiveFrame } from '@/lib/wire/live-frames';
import { AttemptPage, Series, ServerList, SessionDetail, SessionPage, Summary } from '@/lib/wire/responses';
import { Timeline } from '@/lib/wire/timeline-responses';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const send = async (records: unknown[]): Promise<void> => {
  const reply = await postJson(`${edge.base}/api/v1/telemetry`, records);
  expect(reply).toMatchObject({ status: 202, body: { accepted: records.length } });
};

/** Answers must be what the OpenAPI document says of them. */
const read = async (path: string, schema: TSchema): Promise<Record<string, unknown>> => {
  const reply = await call(`${edge.base}${path}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const validator = Compile(schema);
  expect([...validator.Errors(reply.body)], JSON.stringify(reply.body)).toEqual([]);
  return reply.body;
};

const edge = edgeOfFile();

describe('reads', () => {
  test.each(['S01a', 'S02a', 'S02c', 'F18', 'F53'])('the stored records of %s prove what the history proves', async (name) => {
    const cases = JSON.parse(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as {
      case: string;
      records: Record<string, unknown>[];
      expect: { findings: { code: string; count?: number }[] };
    }[];
    const history = cases.find((entry) => entry.case === name);
    if (history === undefined) throw new Error(`no case ${name}`);
    const server = `history-${name}`;
    const session = randomUUID();
    await send(history.records.map((record) => ({ at: Date.now(), ...record, server, ...(record['type'] === 'boot' ? {} : { session }) })));
    const [item] = (await read(`/api/v1/sessions?server=${server}`, SessionPage))['items'] as { ref: string }[];
    const findings = await read(`/api/v1/sessions/${item?.ref}/findings`, SessionFindings);
    const told = findings['items'] as { code: string; index: number; count: number }[];
    for (const { code, count } of history.expect.findings) {
      expect(told).toContainEqual(expect.objectContaining(count === undefined ? { code } : { code, count }));
    }
    const timeline = await read(`/api/v1/sessions/${item?.ref}/timeline`, Timeline);
    const placed = (timeline['steps'] as { index: number; findings: number[] }[]).flatMap((step) =>
      step.findings.map((finding) => [finding, step.index]),
    );
    expect(placed.sort()).toEqual(told.map((finding, place) => [place, finding.index]).sort());
  });

  test('series give one point per step, told apart by each key', async () => {
    const at = Date.now() - 60_000;
    await send([
      attemptRecord({ server: 'series', at }),
      attemptRecord({ server: 'series', at, cursor: 1099, last_event_id: '1099' }),
      attemptRecord({ server: 'series', at, verdict: 'refused', status: 409 }),
    ]);
    const marks = await read(`/api/v1/series?server=series&step=60&from=${at - 120_000}&to=${at + 60_000}`, Series);
    expect(marks['keys']).toEqual(['refused', 'resumed', 'unsafe_resume']);
    expect((marks['points'] as unknown[]).length).toBeGreaterThanOrEqual(3);
    for (const by of ['assessment', 'verdict', 'reason', 'server']) await read(`/api/v1/series?server=series&by=${by}`, Series);
    const servers = await read('/api/v1/series?server=series&by=server', Series);
    expect(servers['keys']).toEqual(['series']);
  });

  test('servers come with their trouble, the worst first', async () => {
    await send([
      attemptRecord({ server: 'calm', cursor: 1099, last_event_id: '1099', node: 'n1' }),
      attemptRecord({ server: 'worst' }),
      attemptRecord({ server: 'worst' }),
    ]);
    const list = await read('/api/v1/servers?server=calm,worst', ServerList);
    expect(list['items']).toMatchObject([
      { server: 'worst', attempts: 2, marks: { unsafe_resume: 2 }, events_lost: 2 },
      { server: 'calm', attempts: 1, nodes: 1, lead_min: 57, kept_max: 58, needed_max: 1 },
    ]);
  });

  test('a session shows its records in the order of arrival, with the state after each and never its token', async () => {
    const session = `secret-${randomUUID()}`;
    const common = { server: 'told', session, generation: 1, at: Date.now() };
    await send([
      { type: 'boot', server: 'told', generation: 1 },
      { type: 'session', event: 'created', ...common },
      { type: 'emit', range: [1, 5], ...common, at: Date.now() - 5_000 },
      { type: 'boot', server: 'told', generation: 1 },
      attemptRecord({ ...common, requested_generation: 1, cursor: 3, last_event_id: '3', floor: 1, head: 5 }),
    ]);
    const page = await read('/api/v1/attempts?server=told', AttemptPage);
    const [{ session: ref }] = page['items'] as [{ session: string }];
    const list = await read('/api/v1/sessions?server=told', SessionPage);
    expect(list).toMatchObject({ items: [{ ref, server: 'told', records: 3, attempts: 1, unsafe: 0 }], next: null });
    expect(await read('/api/v1/sessions?server=told&unsafe=true', SessionPage)).toMatchObject({ items: [] });
    expect(await read('/api/v1/sessions?server=told&unsafe=false', SessionPage)).toMatchObject({ items: [{ ref }] });
    expect(await read('/api/v1/sessions?server=told&unsafe=true,false', SessionPage)).toMatchObject({ items: [{ ref }] });
    const detail = await read(`/api/v1/sessions/${ref}`, SessionDetail);
    expect(detail).toMatchObject({
      ref,
      server: 'told',
      records: 3,
      attempts: 1,
      generations: ['1'],
      streams: ['get'],
      marks: { resumed: 1 },
    });
    const timeline = await read(`/api/v1/sessions/${ref}/timeline`, Timeline);
    expect(timeline['steps']).toMatchObject([
      { record: { type: 'session' } },
      { record: { type: 'emit', session: ref }, state: { head: 5 } },
      { record: { type: 'boot' } },
      { record: { type: 'resume_attempt', session: ref, assessment: 'correct' } },
    ]);
    const first = await read(`/api/v1/sessions/${ref}/timeline?limit=2`, Timeline);
    const rest = await read(`/api/v1/sessions/${ref}/timeline?cursor=${first['next']}`, Timeline);
    expect([...(first['steps'] as unknown[]), ...(rest['steps'] as unknown[])]).toEqual(timeline['steps']);
    expect(JSON.stringify([page, list, detail, timeline])).not.toContain(session);
  });

  test('pages of attempts hold each attempt once, newest first', async () => {
    const at = Date.now() - 1_000_000;
    const sent = Array.from({ length: 25 }, (_, i) => attemptRecord({ server: 'paged', at: at + Math.floor(i / 3) }));
    await send(sent);
    const ids: unknown[] = [];
    let next: unknown = '';
    for (let pages = 0; next !== null && pages < 10; pages++) {
      const page = await read(`/api/v1/attempts?server=paged&limit=7${next === '' ? '' : `&cursor=${next}`}`, AttemptPage);
      const items = page['items'] as { id: string; at: string }[];
      expect(items.map((item) => item.at)).toEqual(
        items
          .map((item) => item.at)
          .sort()
          .reverse(),
      );
      ids.push(...items.map((item) => item.id));
      next = page['next'];
    }
    expect(ids).toHaveLength(25);
    expect(new Set(ids)).toEqual(new Set(sent.map((record) => record.id)));
  });

  test('one attempt is found by its id, and another id is not', async () => {
    const sent = attemptRecord({ server: 'single' });
    await send([sent]);
    expect(await call(`${edge.base}/api/v1/attempts/${sent.id}`)).toMatchObject({ status: 200, body: { id: sent.id } });
    expect(await call(`${edge.base}/api/v1/attempts/${randomUUID()}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  test.each([
    ['mark=unsafe_resume', 1],
    ['mark=resumed,refused', 2],
    ['reason=below_floor', 2],
    ['verdict=resume', 1],
    ['assessment=correct', 2],
    ['client=probe', 1],
    ['client=probe/2', 1],
    ['client=prob', 0],
    ['protocol_version=2025-11-25', 1],
    ['q=1099', 1],
    ['unavailable=true', 1],
    ['unavailable=false', 2],
    ['unavailable=true&mark=resumed', 0],
  ])('attempts and summary are filtered by %s', async (query, count) => {
    const server = `filtered-${randomUUID()}`;
    await send([
      attemptRecord({ server }),
      attemptRecord({
        server,
        cursor: 1099,
        last_event_id: '1099',
        client: { name: 'probe', version: '2' },
        protocol_version: '2025-11-25',
      }),
      attemptRecord({ server, verdict: 'refused', status: 409 }),
    ]);
    const page = await read(`/api/v1/attempts?server=${server}&${query}`, AttemptPage);
    expect(page['items']).toHaveLength(count);
    expect(await read(`/api/v1/summary?server=${server}&${query}`, Summary)).toMatchObject({ totals: { attempts: count } });
  });

  test('the number of resume_unavailable is that of the attempts it leads to, and no other number of refusals', async () => {
    const server = `unavailable-${randomUUID()}`;
    const refused = (status: number, members: object = {}) => attemptRecord({ server, verdict: 'refused', status, ...members });
    const within = { cursor: 1099, last_event_id: '1099' };
    const counted = [refused(409), refused(410), refused(409, within)];
    const others = [refused(404), refused(400), refused(404, within), attemptRecord({ server }), attemptRecord({ server, ...within })];
    await send([...counted, ...others]);
    const period = `server=${server}&from=${Date.now() - 7_200_000}`;
    const summary = await read(`/api/v1/summary?${period}`, Summary);
    const page = await read(`/api/v1/attempts?${period}&unavailable=true`, AttemptPage);
    const ids = (page['items'] as { id: string }[]).map(({ id }) => id);
    expect(ids.sort()).toEqual(counted.map(({ id }) => id).sort());
    expect(summary).toMatchObject({ totals: { attempts: 8, resume_unavailable: ids.length } });
    const series = await read(`/api/v1/series?${period}&unavailable=true&step=60`, Series);
    const points = series['points'] as { counts: Record<string, number>; resume_unavailable: number }[];
    const sums = points.map(({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0));
    expect(sums).toEqual(points.map((point) => point.resume_unavailable));
    expect(sums.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
  });

  test('bad replays are told apart from unsafe resumes by the size of their gap', async () => {
    const server = `gaps-${randomUUID()}`;
    await send([
      attemptRecord({ server }),
      attemptRecord({ server, cursor: 1042, last_event_id: '1042', replayed: { count: 3 } }),
      attemptRecord({ server, verdict: 'refused', status: 409 }),
    ]);
    const summary = await read(`/api/v1/summary?server=${server}`, Summary);
    const sizes = summary['gap_sizes'] as { from: number; unsafe: number; bad_replay: number; refused: number }[];
    const sum = (of: (size: (typeof sizes)[number]) => number) => sizes.reduce((total, size) => total + of(size), 0);
    expect([sum(({ unsafe }) => unsafe), sum(({ bad_replay }) => bad_replay), sum(({ refused }) => refused)]).toEqual([1, 1, 1]);
  });

  test.each(['reason=nonsense', 'limit=0', 'limit=1001', 'cursor=xyz', 'from=yesterday', 'session=7f3a', 'unavailable=yes', 'from=2&to=1'])(
    'a bad filter is named: %s',
    async (query) => {
      const path = query.startsWith('from=2') ? 'summary' : 'attempts';
      const reply = await call(`${edge.base}/api/v1/${path}?${query}`);
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', path: query.split('=')[0] } } });
    },
  );
});

describe('the live feed', () => {
  test('tells of what was stored, after it was stored', async () => {
    const client = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`);
    await new Promise((resolve) => client.once('open', resolve));
    const frames: { seq: number; stored: number; attempts: number; servers?: string[] }[] = [];
    const told = new Promise<void>((resolve) => {
      client.on('message', (data) => {
        frames.push(JSON.parse(String(data)));
        if (frames.at(-1)?.servers?.includes('live') === true) resolve();
      });
    });
    await send([attemptRecord({ server: 'live' }), { type: 'boot', server: 'live' }]);
    await told;
    for (const frame of frames) expect(Compile(LiveFrame).Check(frame)).toBe(true);
    expect(frames.at(-1)?.stored).toBeGreaterThanOrEqual(2);
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.send('hello');
    expect(await closed).toBe(4400);
  });

  test('is refused to pages of another origin and under a foreign host name', async () => {
    for (const headers of [{ origin: 'http://elsewhere.example' }, { host: 'rebound.example' }]) {
      const client = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`, { headers });
      const status = await new Promise((resolve) => {
        client.on('error', () => undefined);
        client.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      });
      expect(status).toBe(403);
    }
  });
});
