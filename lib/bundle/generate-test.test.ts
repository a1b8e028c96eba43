import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { generateTest } from '@/lib/bundle/generate-test';
import type { TelemetryRecord } from '@/lib/wire/schema';

const cases = (file: string) =>
  parseJsonExactly(readFileSync(`tests/histories/${file}.json`, 'utf8')) as { case: string; title: string; records: TelemetryRecord[] }[];
const generated = (name: string): string => {
  const { title, records } = cases(name.slice(0, 3)).find((one) => one.case === name) ?? expect.fail(name);
  return generateTest({ incident: { title }, records });
};

let folder = '';
beforeAll(() => {
  mkdirSync('.cache', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), '.cache', 'generated-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('equal incidents give equal text', () => expect(generated('S02a')).toBe(generated('S02a')));

test('the generated tests fail against the faulty server and pass where it refuses', async () => {
  const names = ['S01a', 'S01b', 'S02a', 'S02b', 'S02c', 'S02d', 'F09a', 'F41a', 'F43a'];
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};\n');
  for (const name of names) writeFileSync(join(folder, `${name}.test.mjs`), generated(name));
  const report = await new Promise<string>((done) => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', folder, '--reporter=json', '--no-file-parallelism'];
    execFile(process.execPath, args, { timeout: 100_000, maxBuffer: 1e8 }, (_error, stdout) => done(stdout));
  });
  const { testResults } = JSON.parse(report.slice(report.indexOf('{'))) as {
    testResults: { name: string; assertionResults: { status: string; failureMessages: string[] }[] }[];
  };
  const outcome = Object.fromEntries(
    testResults.map((file) => [file.name.slice(folder.length + 1).split('.')[0], file.assertionResults[0]?.status]),
  );
  expect(outcome).toEqual({
    S01a: 'failed',
    S01b: 'passed',
    S02a: 'failed',
    S02b: 'passed',
    S02c: 'failed',
    S02d: 'passed',
    F09a: 'passed',
    F41a: 'passed',
    F43a: 'passed',
  });
  const message = testResults.find((file) => file.name.includes('S02c'))?.assertionResults[0]?.failureMessages[0];
  expect(message).toContain('record 7, Last-Event-ID E_1042: hole must not be served as if nothing were missing');
});
