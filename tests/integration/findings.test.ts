import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { ruleOf } from '@/lib/alerting/rule';
import { auditRecords } from '@/lib/audit/audit-records';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { call, postJson } from './api-client';
import { edgeOfFile } from './edge-of-file';
import { batchesOf, lately, mixedHistory } from './mixed-history';
import { auditedAll, expectFindings, type Json, pureFindings } from './stored-findings';

interface History {
  readonly case: string;
  readonly records: readonly Json[];
}

const histories = readdirSync('tests/histories')
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(`tests/histories/${name}`, 'utf8')) as History[]);

const AUDIT = { settleMs: 300, checkpointMs: 200 };

const edge = edgeOfFile({}, { audit: AUDIT });

describe('the recorded histories, handed in as telemetry', () => {
  test('give the findings that the audit of each alone gives', async () => {
    const servers = new Map(histories.map(({ case: name, records }, index) => [`${name}-${index}`, lately(records)]));
    for (const [server, records] of servers) {
      const sent = records.map((record) => ({ ...record, id: randomUUID(), server }));
      expect((await postJson(`${edge.base}/api/v1/telemetry`, sent)).body).toMatchObject({ accepted: records.length, rejected: [] });
    }
    await auditedAll(edge.sql);
    for (const [server, records] of servers) {
      const audited = records.map((record) => ({ ...record, server }));
      await expectFindings(edge.base, server, pureFindings(audited));
    }
  });
});

const read = async (path: string): Promise<Json> => (await call(`${edge.base}/api/v1/${path}`)).body;
const send = (records: readonly Json[]) => postJson(`${edge.base}/api/v1/telemetry`, records);

describe('many sessions at once', () => {
  const server = 'mixed';
  let records: Json[];

  beforeAll(async () => {
    records = mixedHistory(server, 20, 40);
    for (const batch of batchesOf(records, 97)) expect((await send(batch)).body).toMatchObject({ accepted: batch.length });
    await auditedAll(edge.sql);
  });

  test('are told apart: every finding of theirs, and no other', async () => {
    const expected = pureFindings(records);
    expect(new Set(expected.map((finding) => finding.split(' ')[0])).size).toBeGreaterThan(20);
    await expectFindings(edge.base, server, expected);
  });

  test('batches that are sent again change nothing', async () => {
    const before = await read(`findings?server=${server}&limit=1000`);
    for (const batch of batchesOf(records, 131)) expect((await send(batch)).body).toMatchObject({ accepted: 0, duplicate: batch.length });
    await auditedAll(edge.sql);
    expect(await read(`findings?server=${server}&limit=1000`)).toEqual(before);
  });

  test('the list can be narrowed by each of its members, and the counts are those of the list', async () => {
    const all = (await read(`findings?server=${server}&limit=1000`))['items'] as Json[];
    const facets = await read(`findings/facets?server=${server}`);
    expect(facets['total']).toBe(all.length);
    for (const [filter, counts] of [
      ['code', facets['codes']],
      ['severity', facets['severities']],
      ['blame', facets['blames']],
    ] as const) {
      for (const [member, count] of Object.entries(counts as Record<string, number>)) {
        const { items } = await read(`findings?server=${server}&limit=1000&${filter}=${member}`);
        expect(items).toEqual(all.filter((finding) => finding[filter] === member));
        expect((items as Json[]).length).toBe(count);
        const others = await read(`findings?server=${server}&limit=1000&${filter}_not=${member}`);
        expect(others['items']).toEqual(all.filter((finding) => finding[filter] !== member));
      }
    }
    expect((await read(`findings/facets?server=${server}&server_not=${server}`))['total']).toBe(0);
    const elsewhere = (await read(`findings?limit=1000&server_not=${server}`))['items'] as Json[];
    expect(elsewhere.filter((finding) => finding['server'] === server)).toEqual([]);
    expect(elsewhere).not.toEqual([]);
    const session = all.find((finding) => typeof finding['session'] === 'string')?.['session'];
    const ofSession = await read(`findings?server=${server}&limit=1000&session=${String(session)}`);
    expect(ofSession['items']).toEqual(all.filter((finding) => finding['session'] === session));
    const from = Date.parse(String(all[Math.floor(all.length / 2)]?.['at']));
    const period = await read(`findings?server=${server}&limit=1000&from=${from}`);
    expect(period['items']).toEqual(all.filter(({ at }) => Date.parse(String(at)) >= from));
  });

  test('summary and servers count what the list holds', async () => {
    const period = `from=${Date.now() - 20 * 3_600_000}&to=${Date.now() + 60_000}`;
    const { items } = await read(`findings?server=${server}&limit=1000&${period}`);
    const summary = await read(`summary?server=${server}&${period}`);
    expect(summary['findings']).toMatchObject({ total: (items as Json[]).length });
    const facets = await read(`findings/facets?server=${server}&${period}`);
    expect(summary['findings']).toEqual({ total: facets['total'], codes: facets['codes'], severities: facets['severities'] });
    const servers = (await read(`servers?${period}`))['items'] as Json[];
    expect(servers.find((item) => item['server'] === server)).toMatchObject({ findings: (items as Json[]).length });
  });

  test('rules count them by server, as they became known', async () => {
    const { codes } = await read(`findings/facets?server=${server}`);
    const until = Date.now() + 1_000;
    const rule = ruleOf({ name: 'gaps', measure: 'gap', threshold: 1, group_by: ['server'], filter: { server: [server] }, window_s: 60 });
    const measures = new PostgresMeasures(edge.sql);
    const buckets = await measures.buckets(rule, until - 3_600_000, until, 3_600_000);
    expect(buckets).toMatchObject([{ labels: { server }, count: (codes as Record<string, number>)['gap'] }]);
    const elsewhere = { ...rule, filter: { server: ['none'] } };
    expect(await measures.buckets(elsewhere, until - 3_600_000, until, 3_600_000)).toEqual([]);
  });

  test('each has its proof and the records that it cites', async () => {
    const { items } = await read(`findings?server=${server}&limit=1000`);
    for (const { id, index, message } of items as Json[]) {
      const detail = await read(`findings/${String(id)}`);
      const proof = detail['proof'] as Json;
      expect(proof).toMatchObject({ first_illegal: index, sentence: message });
      expect(String(proof['clause']).length * String(proof['smallest_change']).length).toBeGreaterThan(0);
      const cited = detail['records'] as Json[];
      expect(cited.map((record) => record['index'])).toContain(index);
      const sent = new Map(records.map((record) => [record['id'], record['type']]));
      for (const { id: record, record: body } of cited) expect((body as Json)['type']).toBe(sent.get(record));
    }
    expect((await call(`${edge.base}/api/v1/findings/00000000-0000-8000-a000-000000000000`)).status).toBe(404);
  });

  test('attempts are judged by the history where their own records lack facts, and every sum follows', async () => {
    const audited = auditRecords(records);
    if (!audited.ok) throw new Error(audited.error.message);
    const expected = new Map(audited.value.resumes.map((resume) => [records[resume.index]?.['id'], resume]));
    const attempts = (await read(`attempts?server=${server}&limit=1000`))['items'] as Json[];
    expect(attempts.length).toBe(expected.size);
    for (const attempt of attempts) {
      const resume = expected.get(attempt['id']);
      if (resume?.assessment === 'unverifiable') continue;
      expect(attempt).toMatchObject({ assessment: resume?.assessment, decision: resume?.decision });
    }
    expect(attempts.filter((attempt) => attempt['judged_by'] === 'history').length).toBeGreaterThan(10);
    // Every body holds a brace, and no rollup knows texts: this asks the rows.
    const until = Date.now() + 60_000;
    for (const from of [until - 6 * 3_600_000, until - 2 * 3_600_000 - 1_234]) {
      for (const path of ['summary?', 'servers?', 'series?step=60&', 'series?step=3600&by=reason&', 'series?step=3600&by=server&']) {
        const query = `${path}from=${from}&to=${until}&server=${server}`;
        expect(await read(query), query).toEqual(await read(`${query}&q=%7B`));
      }
    }
  });
});
