import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { mcpProxyOverStdio, type RunningServer, sdkServerV1, serverEverything } from '@/tests/proxy/real-servers';
import { startProxy } from '@/tests/proxy/start-proxy';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/package.json').replace(/package\.json$/, 'dist/index.js');

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Runs the official suite and answers every check's outcome, by scenario. */
async function conformance(args: readonly string[]): Promise<Record<string, string[]>> {
  const out = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    await run(process.execPath, [SUITE, ...args, '-o', out], { timeout: 120_000 }).catch(() => undefined);
    const results: Record<string, string[]> = {};
    for (const folder of await readdir(out, { recursive: true })) {
      if (!folder.endsWith('checks.json')) continue;
      const checks: Check[] = JSON.parse(await readFile(join(out, folder), 'utf8'));
      const scenario = folder.replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
      results[scenario] = checks.map((check) => `${check.id} ${check.status}`).sort();
    }
    return results;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const SCENARIOS_OF_THE_PROXY = 'dns-rebinding-protection';

test.each<[string, () => Promise<RunningServer>]>([
  ['server-everything', () => serverEverything()],
  ['an SDK server', () => sdkServerV1()],
  ['mcp-proxy over stdio', () => mcpProxyOverStdio()],
])(
  'the server suite gives the same results through the proxy: %s',
  async (_name, start) => {
    const server = await start();
    const running = await startProxy([
      { name: 'upstream', upstream: server.url, mode: 'enforce' },
      { name: 'proxy', upstream: server.url, mode: 'enforce', replay: 'proxy' },
    ]);
    try {
      const suite = (url: string) => conformance(['server', '--url', url, '--suite', 'all']);
      const direct = await suite(server.url);
      expect(Object.keys(direct).length).toBeGreaterThan(20);
      for (const name of ['upstream', 'proxy']) {
        const through = await suite(running.url(name));
        for (const [scenario, checks] of Object.entries(direct)) {
          // Host and Origin are the proxy's to check: it passes what the server behind it may not.
          if (scenario.includes(SCENARIOS_OF_THE_PROXY)) expect(through[scenario]?.every((check) => check.endsWith('SUCCESS'))).toBe(true);
          else expect([scenario, through[scenario]]).toEqual([scenario, checks]);
        }
      }
    } finally {
      await running.stop();
      await server.stop();
    }
  },
  180_000,
);

test('client scenario sse-retry gives the same results through the proxy, in shadow and enforced', async () => {
  const checksOf = async (mode: string) => {
    // The suite splits the command at spaces, which the folder of this project may have: the path is relative.
    const command = `${process.execPath} --import tsx tests/proxy/sse-retry-client.ts ${mode}`;
    return Object.values(await conformance(['client', '--command', command, '--scenario', 'sse-retry'])).flat();
  };
  const direct = await checksOf('direct');
  expect(direct.filter((check) => check.startsWith('client-sse-')).map((check) => check.split(' ')[1])).toEqual(Array(3).fill('SUCCESS'));
  for (const mode of ['shadow', 'enforce']) expect([mode, await checksOf(mode)]).toEqual([mode, direct]);
});
