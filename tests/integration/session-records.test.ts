import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

let database: TestDatabase;
let edge: Edge;
beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection);
});
afterAll(async () => {
  await edge?.stop();
  await database?.stop();
});

const server = 'read-whole';
const send = async (records: unknown[]) => expect(await postJson(`${edge.base}/api/v1/telemetry`, records)).toMatchObject({ status: 202 });
const sessionOf = async (): Promise<string> => {
  const { body } = await call(`${edge.base}/api/v1/attempts?server=${server}&limit=1`);
  return String((body['items'] as { session: string }[])[0]?.session);
};

async function linesOf(session: string, limit: number): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  let next: string | null = 'step-0';
  while (next !== null) {
    const page: Response = await fetch(`${edge.base}/api/v1/sessions/${session}/records?limit=${limit}&cursor=${next}`);
    lines.push(...(await page.text()).trimEnd().split('\n'));
    next = page.headers.get('tidemark-next');
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('the records of a session come in pages that join to its timeline, and what arrives meanwhile is in the next reading', async () => {
  const emissions = Array.from({ length: 24 }, (_, n) => ({
    type: 'emit',
    event_id: String(1000 + n),
    server,
    session: 'token-1',
    at: Date.now(),
  }));
  await send([...emissions, attemptRecord({ server })]);
  const session = await sessionOf();
  const lines = await linesOf(session, 7);
  const timeline = await call(`${edge.base}/api/v1/sessions/${session}/timeline?limit=1000`);
  expect(lines).toHaveLength(25);
  expect(lines).toEqual((timeline.body['steps'] as { record: unknown }[]).map(({ record }) => record));
  expect(lines.at(-1)).toMatchObject({ type: 'resume_attempt', session, mark: 'unsafe_resume' });
  const findings = await call(`${edge.base}/api/v1/sessions/${session}/findings`);
  expect(findings.body).toMatchObject({ records: 25, is_whole: true });
  await send([attemptRecord({ server, conn: 'later' })]);
  expect((await linesOf(session, 50)).at(-1)).toMatchObject({ conn: 'later' });
  expect((await call(`${edge.base}/api/v1/sessions/${session}/findings`)).body).toMatchObject({ records: 26 });
});

test.each(['timeline', 'records', 'findings'])('a session that is not known has no %s', async (what) => {
  for (const ref of ['x', '0'.repeat(32)]) {
    expect(await call(`${edge.base}/api/v1/sessions/${ref}/${what}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  }
});
