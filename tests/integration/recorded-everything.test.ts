import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEverything } from '@/demo/scenarios/everything';
import { type RunningServer, serverEverything } from '@/tests/proxy/real-servers';
import { call, postJson } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { waitFor } from './wait-for';

const SERVER = 'everything';

let databases: TestDatabase[] = [];
let target: RunningServer;
let here: Edge;
let there: Edge;
beforeAll(async () => {
  [databases, target] = await Promise.all([Promise.all([startTestDatabase(), startTestDatabase()]), serverEverything()]);
  const config = { replayTargets: [{ name: 'everything', url: target.url }], audit: {} };
  const [a, b] = databases;
  if (a === undefined || b === undefined) throw new Error('no database');
  here = await startEdge(a.postgres.connection, {}, config);
  there = await startEdge(
    b.postgres.connection,
    {},
    { ...config, secret: new TextEncoder().encode('another secret of thirty-two bytes or more') },
  );
});
afterAll(async () => {
  await Promise.all([here?.stop(), there?.stop(), target?.stop()]);
  await Promise.all(databases.map((database) => database.stop()));
});

interface Item {
  readonly id: string;
  readonly title: string;
}
type Members = Record<string, unknown>;

/** Real clients against the reference server, recorded as they go, until an incident of it is known with all of its findings. */
async function recordRun(): Promise<string> {
  const over = new AbortController();
  const scenario = await startEverything({ url: here.base, key: undefined, say: () => undefined, signal: over.signal });
  try {
    await scenario.round(0);
  } finally {
    over.abort();
    await scenario.close();
  }
  const [item] = await waitFor(
    async () => (await call(`${here.base}/api/v1/incidents?server=${SERVER}`)).body['items'] as Item[],
    (items) => items.some(({ title }) => title.includes('cannot place')),
  );
  await waitFor(
    () => call(`${here.base}/api/v1/incidents/${item?.id}`),
    ({ body }) => body['findings_current'] === true && Number(body['records']) > 0,
  );
  return item?.id ?? '';
}

const verdictsOf = async (edge: Edge, incident: string): Promise<Members> => {
  const { body } = await postJson(`${edge.base}/api/v1/whatif`, { incident, change: { floor: 'retained' } });
  const items = body['items'] as Members[];
  return { ...body, items: items.map(({ index, before, after }) => ({ index, before, after })) };
};
const replayIn = async (edge: Edge, incident: string): Promise<Members> =>
  (await postJson(`${edge.base}/api/v1/incidents/${incident}/replays`, { target: 'everything', speed: 10_000, rate: 50, confirm: true }))
    .body;

test('a recorded run of server-everything exports, imports and replays with the same verdicts', async () => {
  const id = await recordRun();
  const bundle = await (await fetch(`${here.base}/api/v1/incidents/${id}/bundle`)).text();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: bundle };
  const copy = String((await call(`${there.base}/api/v1/incidents/import`, init)).body['id']);
  expect(await (await fetch(`${there.base}/api/v1/incidents/${copy}/bundle`)).text()).toBe(bundle);
  const [detail, detailThere] = await Promise.all([
    call(`${here.base}/api/v1/incidents/${id}`),
    call(`${there.base}/api/v1/incidents/${copy}`),
  ]);
  for (const member of ['findings', 'consequences', 'sessions']) expect(detailThere.body[member], member).toEqual(detail.body[member]);
  expect(await verdictsOf(there, copy)).toEqual(await verdictsOf(here, id));

  const replayed = await replayIn(here, id);
  expect(replayed['items']).not.toEqual([]);
  const withoutIds = ({ items, ...sums }: Members) => ({ ...sums, items: (items as Members[]).map(({ sent: _sent, ...item }) => item) });
  expect(withoutIds(await replayIn(there, copy))).toEqual(withoutIds(replayed));
});
