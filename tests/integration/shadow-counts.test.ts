import { expect, test } from 'vitest';
import { call, postJson } from '@/tests/integration/api-client';
import { attemptRecord } from '@/tests/integration/attempt-record';
import { edgeOfFile } from '@/tests/integration/edge-of-file';

/** What a route's breaker goes by after a restart: what the rules said while the route was in shadow, and nothing of what it refused itself. */
const edge = edgeOfFile();
const HOUR_MS = 3_600_000;

/** A switch of a route as the change log has it, so many hours ago. */
async function switched(route: string, hoursAgo: number, from: string, to: string, action = 'proxy.mode_switched'): Promise<void> {
  await edge.sql`
    insert into change_log (at, actor, action, subject, before, after)
    values (${new Date(Date.now() - hoursAgo * HOUR_MS)}, 'kim', ${action}, ${route}, ${JSON.stringify({ mode: from })}, ${JSON.stringify({ mode: to })})`;
}

/** One attempt below the floor and so many that are served, so many hours ago. */
async function attempted(route: string, hoursAgo: number, served: number): Promise<void> {
  const at = Date.now() - hoursAgo * HOUR_MS;
  const records = Array.from({ length: served }, (_, i) =>
    attemptRecord({ server: route, at: at + i, cursor: 1050, last_event_id: '1050' }),
  );
  expect((await postJson(`${edge.base}/api/v1/telemetry`, [attemptRecord({ server: route, at }), ...records])).status).toBe(202);
}

test('attempts count where the route was in shadow, also after its breaker tripped, and only those of the route', async () => {
  await switched('r', 72, 'shadow', 'enforce');
  await switched('r', 48, 'enforce', 'shadow', 'proxy.breaker_tripped');
  await switched('r', 24, 'shadow', 'canary');
  await switched('other', 100, 'shadow', 'enforce');
  await attempted('r', 80, 4);
  await attempted('r', 60, 16);
  await attempted('r', 30, 8);
  await attempted('r', 2, 32);
  await attempted('other', 80, 64);
  const counts = await edge.services.shadowCounts('r', 'canary');
  expect(Object.fromEntries(counts)).toEqual({ ok: 12, below_floor: 2 });
});

test('a route that was never switched is taken to have been as it is', async () => {
  await attempted('steady', 5, 3);
  expect(Object.fromEntries(await edge.services.shadowCounts('steady', 'shadow'))).toEqual({ ok: 3, below_floor: 1 });
  expect(Object.fromEntries(await edge.services.shadowCounts('steady', 'enforce'))).toEqual({});
});

test('a switch of this moment ends what is counted', async () => {
  await attempted('now', 1, 2);
  await switched('now', 0, 'shadow', 'enforce');
  await attempted('now', 0, 50);
  expect(Object.fromEntries(await edge.services.shadowCounts('now', 'enforce'))).toEqual({ ok: 2, below_floor: 1 });
  expect((await call(`${edge.base}/api/v1/summary?server=now`)).body['totals']).toMatchObject({ attempts: 54 });
});
