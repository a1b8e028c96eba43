/** Composition root: configuration → database → services → listen → drain. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Config } from '@/lib/config/config';
import { describeProblems } from '@/lib/config/config-problem';
import { installSecret } from '@/lib/config/install-secret';
import { loadConfig } from '@/lib/config/load-config';
import { OWN_SENDER } from '@/lib/intake/sender';
import { EmbeddedPostgresError } from '@/lib/postgres/embedded-postgres-error';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@/lib/postgres/supervisor';
import { proxyRoutes } from './api/proxy-routes';
import { databaseAddress } from './database-address';
import { createEdge } from './edge';
import { listenOn } from './listen-on';
import { log } from './log';
import { PageProxy } from './page-proxy';
import { openProxy, type ProxyService } from './proxy-service';
import { RendererProcess } from './renderer-process';
import { openServices, type Services } from './services';
import { drain, onStop } from './shutdown';

/** The exit code that sysexits.h gives to a configuration error. */
const EXIT_CONFIG = 78;
const RENDERER_START_MS = 60_000;

const inform = (line: string): void => log('info', line);

/** What is open; closed in the reverse order of opening. */
interface Running {
  postgres?: EmbeddedPostgres;
  renderer?: RendererProcess;
  pages?: PageProxy;
  server?: Server;
  services?: Services;
  proxy?: ProxyService;
}

async function start(config: Config, dev: boolean, running: Running, stopping: AbortSignal): Promise<void> {
  const since = performance.now();
  mkdirSync(config.dataDir, { recursive: true });
  const secret = Buffer.from(installSecret(config.secret, config.dataDir));
  for (const warning of config.warnings) log('warn', warning);

  // The embedded database's ownership comes first: a second start must touch nothing of the first one's.
  if (config.databaseUrl === null) running.postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: inform });
  stopping.throwIfAborted();
  let ready: (services: Services) => void = () => undefined;
  const services = new Promise<Services>((resolve) => {
    ready = resolve;
  });
  running.renderer = new RendererProcess(config.dataDir, dev ? 'dev' : 'production', inform);
  running.pages = new PageProxy(running.renderer);
  running.server = createEdge({ services, proxy: () => running.proxy?.proxy ?? null, pages: running.pages, dev, log });
  const url = await listenOn(running.server, config.host, config.port, inform);
  stopping.throwIfAborted();
  running.services = await openServices(
    {
      database: databaseAddress(config.databaseUrl, running.postgres),
      secret,
      auth: config.auth,
      baseUrl: config.alerts.publicUrl ?? url,
      keys: config.keys,
      oidc: config.oidc,
      retention: config.retention,
      replayTargets: [
        ...config.routes.map(({ name }) => ({ name: `route ${name}`, url: `${url}/proxy/${name}` })),
        ...config.replayTargets,
      ],
      alerts: { config: config.alerts, baseUrl: config.alerts.publicUrl ?? url },
      audit: {},
    },
    {
      log,
      migrationsFolder: 'db/migrations',
      routes: (parts) => {
        const { intake, raise, noteChange, proxyModes: modes } = parts;
        running.proxy = openProxy(config, {
          secret,
          submit: (records) => intake.submit(records, { ...OWN_SENDER, id: 'proxy' }),
          untoldFile: join(config.dataDir, 'proxy-telemetry-untold.json'),
          log,
          raise,
          modes,
          stored: parts,
        });
        return proxyRoutes(running.proxy, noteChange);
      },
    },
  );
  await running.proxy?.ready;
  stopping.throwIfAborted();
  ready(running.services);
  await running.renderer.whenListening(RENDERER_START_MS);
  inform(`ready on ${url} after ${((performance.now() - since) / 1000).toFixed(1)} s`);
}

async function stop(running: Running, starting: Promise<unknown>): Promise<void> {
  const opened = running.services;
  // Streams end first: what they still report has to reach the intake before it closes.
  await running.proxy?.close();
  if (running.server !== undefined) await drain(running.server, opened);
  running.pages?.close();
  await running.renderer?.stop();
  // A stop during the start: what was being opened is open by now, or never will be.
  await starting.catch(() => undefined);
  if (opened === undefined) await running.services?.close();
  await running.postgres?.stop();
}

function explain(cause: unknown): string {
  const nextStep = cause instanceof EmbeddedPostgresError ? `\n  → ${cause.nextStep} [${cause.code}]` : '';
  return `${cause instanceof Error ? cause.message : String(cause)}${nextStep}`;
}

const parsed = loadConfig(process.env);
if (!parsed.ok) {
  console.error(`tidemark cannot start: ${describeProblems(parsed.error)}`);
  process.exit(EXIT_CONFIG);
}
const running: Running = {};
const stopping = new AbortController();
// Whatever way this process ends, its children end with it.
process.on('exit', () => {
  running.renderer?.kill();
  const pid = running.postgres?.pid() ?? null;
  if (pid !== null) process.kill(pid, 'SIGINT');
});
const starting = start(parsed.value, process.argv.includes('--dev'), running, stopping.signal);
onStop(() => {
  stopping.abort();
  return stop(running, starting);
}, inform);
try {
  await starting;
} catch (cause) {
  if (!stopping.signal.aborted) {
    console.error(`tidemark cannot start: ${explain(cause)}`);
    await stop(running, starting).catch(() => undefined);
    process.exit(1);
  }
}
