import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../children/child-process';
import type { KeptSession } from '../children/restarting-server';
import { connectClient, type DemoClient } from '../clients/mcp-client';
import { type DemoContext, identityFor, pause, type Scenario } from './scenario';

const PROGRAM = fileURLToPath(new URL('../children/restarting-server.ts', import.meta.url));
const RECONNECTS_WITHIN_MS = 1000;

interface Flavour {
  readonly name: string;
  readonly isGuarded: boolean;
}

/** A server process that is restarted in every round and numbers its events from 1 in every life. */
export async function startRestarting(context: DemoContext, { name, isGuarded }: Flavour): Promise<Scenario> {
  let life = 1;
  const startLife = (port: number, sessions: readonly KeptSession[]): Promise<Child> =>
    startChild(
      ['--import', 'tsx', PROGRAM],
      {
        DEMO_TIDEMARK_URL: context.url,
        DEMO_SERVER: name,
        DEMO_NODE: `${name}-1`,
        DEMO_GENERATION: `life-${life}`,
        DEMO_GUARD: isGuarded ? 'on' : 'off',
        DEMO_PORT: String(port),
        DEMO_SESSIONS: JSON.stringify(sessions),
        ...(life === 1 ? {} : { DEMO_RESTORED_FROM: `life-${life - 1}` }),
        ...(context.key === undefined ? {} : { DEMO_KEY: context.key }),
      },
      /listening on (\d+)/,
    );
  let child = await startLife(0, []);
  const port = Number(child.announced[1]);
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  context.say(
    `${name}: SDK 1.x, restarts and numbers anew, ${isGuarded ? 'guarded: refuses old cursors' : 'not guarded: takes old cursors'} (${url.href})`,
  );

  const restart = async (sessions: readonly KeptSession[]) => {
    await child.stop();
    life += 1;
    child = await startLife(port, sessions);
  };
  return {
    name,
    round: async (index) => {
      const clients: DemoClient[] = [];
      const kept: KeptSession[] = [];
      try {
        for (let n = 0; n < 2; n++) {
          const identity = identityFor(index + n);
          const client = await connectClient(url, identity, true);
          clients.push(client);
          kept.push({ sessionId: client.sessionId ?? '', client: { name: identity.name, version: identity.version } });
        }
        await pause(200, context.signal);
        for (const client of clients) await client.call('announce', { count: 3, drop: false });
        await restart(kept);
        // The clients find their streams cut and come back by themselves, with the cursors of the life before.
        await pause(RECONNECTS_WITHIN_MS, context.signal);
      } finally {
        for (const client of clients) await client.close();
      }
    },
    close: () => child.stop(),
  };
}
