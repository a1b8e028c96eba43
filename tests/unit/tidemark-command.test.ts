import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder = '';
let lossy = '';
let sound = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-audit-'));
  await run('node', ['scripts/build-cli.mjs']);
  const histories = JSON.parse(await readFile(join(root, 'tests/histories/S02.json'), 'utf8')) as { records: unknown[] }[];
  lossy = await file('lossy.json', JSON.stringify(histories[0]?.records));
  sound = await file('sound.ndjson', (histories[1]?.records ?? []).map((record) => JSON.stringify(record)).join('\n'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function run(command: string, args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root }, (error, out, err) => {
      resolve({ status: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const tidemark = (...args: string[]) => run('node', ['bin/tidemark.mjs', ...args]);

describe('tidemark audit', () => {
  test('names a loss with its numbers and exits 1', async () => {
    const { status, out } = await tidemark('audit', lossy);
    expect(status).toBe(1);
    expect(out).toContain('CRITICAL gap (server, 9)');
  });

  test('a sound history exits 0', async () => {
    expect((await tidemark('audit', sound)).status).toBe(0);
  });

  test.each([
    ['critical', 1],
    ['never', 0],
  ])('--fail-on %s exits %d for a critical finding', async (severity, status) => {
    expect((await tidemark('audit', lossy, '--fail-on', severity)).status).toBe(status);
  });

  test('--format json carries findings with their lines', async () => {
    const { out } = await tidemark('audit', lossy, '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({ files: [{ records: 10, findings: [{ code: 'gap', count: 9, line: 1 }] }] });
  });

  test('--format sarif has the finding as a result at a line of the file', async () => {
    const { out } = await tidemark('audit', lossy, '--format', 'sarif');
    expect(JSON.parse(out)).toMatchObject({ version: '2.1.0', runs: [{ results: [{ ruleId: 'gap', level: 'error' }] }] });
  });

  test('--format junit has a failure per code with findings', async () => {
    const { out } = await tidemark('audit', lossy, '--format', 'junit');
    expect(out).toContain('failures="1"');
    expect(out).toContain('type="gap"');
  });

  test.each([
    ['a bad field', 'bad.ndjson', '{"type":"boot"}\n\n{"type":"emit"}\n', ':3: event_id is required'],
    ['broken JSON', 'broken.ndjson', '{"type":"boot"}\n{"type":\n', ':2: '],
    ['a bad record of an array', 'bad.json', '[\n{"type":"boot"},\n{"type":"else"}\n]', ':3: type must be one of'],
    ['a broken array', 'broken.json', '[\n{"type":"boot"},\n{"type"}\n]', ':3: '],
    ['a document that holds no records', 'other.json', '{\n"a": 1\n}', ':1: must be an array of records'],
  ])('%s exits 2 and names file and line', async (_what, name, text, message) => {
    const { status, err } = await tidemark('audit', await file(name, text));
    expect(status).toBe(2);
    expect(err).toContain(name + message);
  });

  test('a missing file and an unknown option exit 2', async () => {
    expect((await tidemark('audit', join(folder, 'none.json'))).status).toBe(2);
    expect((await tidemark('audit', lossy, '--nonsense')).status).toBe(2);
  });
});
