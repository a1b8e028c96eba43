import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '@/bin/tidemark-replay';
import { freePort } from '@/demo/children/free-port';
import { parseJsonExactly } from '@/lib/base/json';
import { generateTest } from '@/lib/bundle/generate-test';
import { drive } from '@/lib/drive/drive';
import { drivePlan } from '@/lib/drive/plan';
import { readTarget } from '@/lib/drive/target';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { scriptedUpstream } from './scripted-upstream';
import { startProxy } from './start-proxy';

interface RecordedCase {
  readonly case: string;
  readonly title: string;
  readonly records: TelemetryRecord[];
}

const recorded = (name: string): RecordedCase => {
  const cases = parseJsonExactly(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as RecordedCase[];
  return cases.find((one) => one.case === name) ?? expect.fail(name);
};

let folder = '';
beforeAll(() => {
  mkdirSync('.cache', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), '.cache', 'recorded-'));
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runGenerated(name: string, env: Record<string, string>): Promise<{ passed: number; failed: number; text: string }> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', folder, '--reporter=json', `${name}.test.mjs`];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 110_000, maxBuffer: 1e8, env: { ...process.env, ...env } }, (_error, stdout) => {
      const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { numPassedTests: number; numFailedTests: number };
      resolve({ passed: report.numPassedTests, failed: report.numFailedTests, text: stdout });
    });
  });
}

test.each([
  ['S01a', 'upstream'],
  ['S02a', 'proxy'],
  ['S02c', 'proxy'],
] as const)(
  'the generated test of %s fails against the faulty server and passes behind the enforcing proxy, replay %s',
  async (name, mode) => {
    const { title, records } = recorded(name);
    writeFileSync(join(folder, `${name}.test.mjs`), generateTest({ incident: { title }, records }));
    expect(await runGenerated(name, {})).toMatchObject({ passed: 0, failed: 1 });
    const port = await freePort();
    const proxy = await startProxy({
      upstream: `http://127.0.0.1:${port}/mcp`,
      mode: 'enforce',
      replay: mode,
      refusal: 'status',
      instanceHeader: 'scripted-instance',
    });
    try {
      const behind = await runGenerated(name, { SCRIPTED_PORT: String(port), TARGET_URL: proxy.url() });
      expect(behind.failed, behind.text.slice(0, 4000)).toBe(0);
    } finally {
      await proxy.stop();
    }
  },
);

/** A server that resumes whatever it is given, or one that refuses every cursor. */
const upstreamThat = (resumes: boolean) =>
  scriptedUpstream(({ method, headers, res }) => {
    if (method === 'POST') {
      res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'target-token' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: {} }));
    } else if (method === 'DELETE') res.writeHead(200).end();
    else if (headers['last-event-id'] === undefined || resumes) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('id: first\ndata: {}\n\n');
    } else {
      res.writeHead(409, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32010, message: 'resume_unavailable' } }));
    }
  });

const fast = { speed: 1_000_000, rate: 1_000 };

describe('replay against a live server', () => {
  test('sessions are opened and ended, streams dropped and resumed with the recorded cursors; verdicts stand side by side', async () => {
    const { records } = recorded('S02a');
    const server = await upstreamThat(true);
    try {
      const resumes = await drive(drivePlan(records), { target: new URL(server.url), ...fast });
      expect(resumes).toMatchObject([
        {
          index: 7,
          sent: 'E_1042',
          isRecordedCursor: true,
          recorded: { verdict: 'resumed', status: 200 },
          rules: { verdict: 'refuse', reason: 'below_floor' },
          actual: { verdict: 'resumed', status: 200 },
        },
      ]);
      expect(server.seen.map(({ method, headers }) => [method, headers['last-event-id'] ?? null])).toEqual([
        ['POST', null],
        ['POST', null],
        ['GET', null],
        ['GET', 'E_1042'],
        ['DELETE', null],
      ]);
      expect(server.seen.slice(1).every(({ headers }) => headers['mcp-session-id'] === 'target-token')).toBe(true);
      expect(server.seen.every(({ body }) => !body.toString().includes('tools/call'))).toBe(true);
    } finally {
      await server.stop();
    }
  });

  test('a cursor is sent as the id that the target itself gave to the event, where it sent as many', async () => {
    const records = [
      { type: 'open', conn: 'c1', session: 'S1' },
      { type: 'deliver', conn: 'c1', session: 'S1', event_ids: ['recorded-1'] },
      { type: 'close', conn: 'c1', session: 'S1' },
      { type: 'resume_attempt', conn: 'c2', session: 'S1', last_event_id: 'recorded-1', verdict: 'resumed' },
    ] as TelemetryRecord[];
    const server = await upstreamThat(true);
    try {
      // The first event of the target has to be there before the stream is dropped.
      const resumes = await drive(drivePlan(records.filter(({ type }) => type !== 'close')), {
        target: new URL(server.url),
        speed: 1,
        rate: 5,
      });
      expect(resumes).toMatchObject([{ sent: 'first', isRecordedCursor: false }]);
    } finally {
      await server.stop();
    }
  });

  test('the command says what it found in its exit status, and drives nothing without a yes', async () => {
    const { title, records } = recorded('S02a');
    const file = join(folder, 'bundle.json');
    writeFileSync(file, JSON.stringify({ title, records }));
    const options = { allow: [], header: [], speed: 1_000, rate: 50, yes: true };
    const faulty = await upstreamThat(true);
    const sound = await upstreamThat(false);
    try {
      expect(await replay(file, { ...options, target: faulty.url })).toBe(1);
      expect(await replay(file, { ...options, target: sound.url, header: ['authorization: Bearer x'] })).toBe(0);
      expect(sound.seen.every(({ headers }) => headers.authorization === 'Bearer x')).toBe(true);
      const before = sound.seen.length;
      expect(await replay(file, { ...options, target: sound.url, yes: false })).toBe(2);
      expect(await replay(join(folder, 'missing.json'), { ...options, target: sound.url })).toBe(2);
      expect(await replay(file, { ...options, target: 'https://example.com/mcp' })).toBe(2);
      expect(sound.seen).toHaveLength(before);
    } finally {
      await faulty.stop();
      await sound.stop();
    }
  });

  test.each([
    ['http://127.0.0.1:1/mcp', [], true],
    ['http://localhost/mcp', [], true],
    ['https://example.com/mcp', [], false],
    ['https://example.com/mcp', ['https://example.com'], true],
    ['https://example.com:444/mcp', ['https://example.com'], false],
    ['https://example.com.evil.test/mcp', ['https://example.com'], false],
    ['file:///etc/passwd', ['file:///'], false],
    ['http://user:pass@127.0.0.1/', [], false],
    ['no address', [], false],
  ])('%s with %j allowed', (text, allowed, expected) => expect(readTarget(text, allowed).ok).toBe(expected));
});
