import { afterAll, beforeAll, expect, test } from 'vitest';
import { unsafeResume } from '@/tests/e2e/unsafe-resume';
import { waitFor } from '@/tests/integration/wait-for';
import { type AppProcess, disposeApp, freshDataDir, startApp } from './app-process';
import { sendRecords } from './screens';

const SERVER = 'killed-mcp';
const ROUNDS = 4;
const PER_ROUND = 50;

const dataDir = freshDataDir();
let app: AppProcess;
beforeAll(async () => {
  app = await startApp({ dataDir });
});
afterAll(async () => {
  if (app !== undefined) await disposeApp(app);
});

interface Item {
  readonly id: string;
  readonly records: number;
  readonly toll: { readonly attempts: number; readonly events_lost: number };
}

const get = async <T>(path: string): Promise<T> => (await (await fetch(app.url + path)).json()) as T;
const incidents = async (): Promise<Item[]> => (await get<{ items: Item[] }>(`/api/v1/incidents?server=${SERVER}`)).items;

test('killed again and again amid the detection, the app opens each incident once and counts each piece of evidence once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const sent = Array.from({ length: PER_ROUND }, (_, n) => unsafeResume(SERVER, `s${round}-${n % 5}`, Date.now()));
    await sendRecords(app, sent);
    // In turn before anything was detected, and while what was detected is counted, pinned and audited.
    if (round % 2 === 1) {
      await waitFor(incidents, ([item]) => (item?.toll.attempts ?? 0) > 0);
    }
    app.kill('SIGKILL');
    await app.exited;
    app = await startApp({ dataDir });
  }
  const all = ROUNDS * PER_ROUND;
  const [item] = await waitFor(incidents, ([one]) => one?.toll.attempts === all && one.records === all);
  expect(await incidents()).toHaveLength(1);
  expect(item).toMatchObject({ toll: { attempts: all, events_lost: all * 3 }, records: all });
  const { items: log } = await get<{ items: { type: string }[] }>(`/api/v1/incidents/${item?.id}/log`);
  expect(log.filter(({ type }) => type === 'opened')).toHaveLength(1);
});
