import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTidemark } from '@/packages/mcp/src/index';
import { startChild } from '../children/child-process';
import { freePort } from '../children/free-port';
import { connectClient, type DemoClient } from '../clients/mcp-client';
import { startRecordingTap } from '../servers/recording-tap';
import { type DemoContext, identityFor, pause, type Scenario } from './scenario';

const LOOPBACK_ONLY = fileURLToPath(new URL('../children/loopback-only.mjs', import.meta.url));
/** Its store loses the tail of a resumed call, so the call is given up here, not after a minute. */
const LOST_CALL_TIMEOUT_MS = 2500;

/** `@modelcontextprotocol/server-everything` as it is published, with its own event store, behind a tap. */
export async function startEverything({ url, key, say, signal }: DemoContext): Promise<Scenario> {
  const tidemark = createTidemark({
    url,
    server: 'everything',
    node: 'tap-1',
    recording: 'everything',
    ...(key === undefined ? {} : { key }),
  });
  const port = await freePort();
  const child = await startChild(['--import', LOOPBACK_ONLY, programPath(), 'streamableHttp'], { PORT: String(port) }, /listening on port/);
  const tap = await startRecordingTap(new URL(`http://127.0.0.1:${port}/mcp`), tidemark);
  say(`everything: server-everything with its own event store, behind a recording tap (${tap.url.href})`);
  say('everything: by itself it listens on all interfaces; here it is made to listen on loopback only');
  return {
    name: 'everything',
    round: async (index) => {
      const client = await connectClient(tap.url, identityFor(index + 2));
      try {
        await resumeFinishedCall(client);
        const call = dropInMidCall(client);
        await pause(900, signal);
        tap.cut();
        await call;
        await client.resume(`cursor-of-another-life-${index}`);
        await pause(200, signal);
      } finally {
        await client.close();
      }
    },
    close: async () => {
      await tap.close();
      await child.stop();
      await tidemark.close();
    },
  };
}

/** A cursor of one finished call: this store replays the events of every other stream after it, too. */
async function resumeFinishedCall(client: DemoClient): Promise<void> {
  await client.call('echo', { message: 'one' });
  const [cursor] = client.cursors;
  await client.call('echo', { message: 'two' });
  if (cursor !== undefined) await client.resume(cursor);
}

function dropInMidCall(client: DemoClient): Promise<unknown> {
  const args = { duration: 2, steps: 4 };
  return client.call('trigger-long-running-operation', args, LOST_CALL_TIMEOUT_MS).catch(() => undefined);
}

function programPath(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('@modelcontextprotocol/server-everything/package.json');
  return join(dirname(manifest), 'dist', 'index.js');
}
