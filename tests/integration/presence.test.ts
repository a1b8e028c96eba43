import { beforeAll, describe, expect, test } from 'vitest';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const edge = edgeOfFile();

const iso = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR).toISOString();
const summary = async (query: string) => (await call(`${edge.base}/api/v1/summary?from=${NOW - 3 * HOUR}&to=${NOW}${query}`)).body;

beforeAll(async () => {
  const records = [
    attemptRecord({ server: 'heard', at: NOW - HOUR }),
    attemptRecord({ server: 'fell-silent', at: NOW - 3 * HOUR - 1 }),
    attemptRecord({ server: 'long-silent', at: NOW - 9 * HOUR }),
    attemptRecord({ server: 'on-the-edge', at: NOW - 3 * HOUR }),
    attemptRecord({ server: 'not-yet', at: NOW }),
    attemptRecord({ server: 'given-up', at: NOW - 8 * HOUR }),
  ];
  expect((await postJson(`${edge.base}/api/v1/telemetry`, records)).body).toMatchObject({ accepted: records.length });
  await edge.sql`insert into project (name, created_at, archived_at) values ('elsewhere', now(), null), ('closed', now(), now())`;
  await edge.sql`update server set project_id = (select id from project where name = 'elsewhere') where name in ('heard', 'fell-silent')`;
  await edge.sql`update server set project_id = (select id from project where name = 'closed') where name = 'given-up'`;
});

describe('the servers of a summary', () => {
  test('are those heard of in its period, and those that fell silent before it, the last heard first', async () => {
    expect(await summary('')).toMatchObject({
      servers_seen: 2,
      servers_known: 4,
      silent: [
        { server: 'fell-silent', last_seen_at: new Date(NOW - 3 * HOUR - 1).toISOString() },
        { server: 'long-silent', last_seen_at: iso(9) },
      ],
      last_record_at: iso(0),
      records_total: 6,
    });
  });

  test('are of its project alone, as is what was ever heard', async () => {
    expect(await summary('&project=elsewhere')).toMatchObject({
      servers_seen: 1,
      servers_known: 2,
      silent: [{ server: 'fell-silent' }],
      last_record_at: iso(1),
      records_total: 2,
    });
  });

  test('are those asked for alone', async () => {
    expect(await summary('&server=long-silent')).toMatchObject({ servers_seen: 0, servers_known: 1, records_total: 1 });
    expect(await summary('&server_not=long-silent')).toMatchObject({ servers_seen: 2, servers_known: 3, records_total: 5 });
    expect(await summary('&server=nobody')).toMatchObject({ servers_seen: 0, servers_known: 0, silent: [], last_record_at: null });
  });

  test('of an archived project are known only while they are heard of', async () => {
    expect(await summary('&project=closed')).toMatchObject({ servers_seen: 0, servers_known: 0, silent: [], records_total: 1 });
    const then = await call(`${edge.base}/api/v1/summary?from=${NOW - 10 * HOUR}&to=${NOW}&project=closed`);
    expect(then.body).toMatchObject({ servers_seen: 1, servers_known: 1, silent: [] });
  });
});
