/** The enforcing proxy as a process of its own, without pages. With DATABASE_URL it reports into that database. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Config } from '@/lib/config/config';
import { describeProblems } from '@/lib/config/config-problem';
import { installSecret } from '@/lib/config/install-secret';
import { loadConfig } from '@/lib/config/load-config';
import { OWN_SENDER } from '@/lib/intake/sender';
import { sendError } from '@/lib/proxy/refusal';
import { servePath } from '@/lib/proxy/serve-path';
import { proxyRoutes } from '@/server/api/proxy-routes';
import { databaseAddress } from '@/server/database-address';
import { headLimit } from '@/server/head-limit';
import { listenOn } from '@/server/listen-on';
import { log } from '@/server/log';
import { openProxy, type ProxyService } from '@/server/proxy-service';
import { openServices, type Services } from '@/server/services';
import { drain, onStop } from '@/server/shutdown';

/** The exit code that sysexits.h gives to a configuration error. */
const EXIT_CONFIG = 78;

interface Opened {
  readonly service: ProxyService;
  readonly services: Services | undefined;
}

async function open(config: Config): Promise<Opened> {
  mkdirSync(config.dataDir, { recursive: true });
  const secret = Buffer.from(installSecret(config.secret, config.dataDir));
  if (config.databaseUrl === null) {
    log('warn', 'DATABASE_URL is not set: the proxy enforces, and its telemetry is not stored');
    return { service: openProxy(config, { secret, submit: null, log }), services: undefined };
  }
  let service: ProxyService | undefined;
  const services = await openServices(
    { database: databaseAddress(config.databaseUrl, undefined), secret, auth: config.auth },
    {
      log,
      migrationsFolder: 'db/migrations',
      routes: (parts) => {
        const { intake, raise, noteChange, proxyModes: modes } = parts;
        service = openProxy(config, {
          secret,
          submit: (records) => intake.submit(records, { ...OWN_SENDER, id: 'proxy' }),
          untoldFile: join(config.dataDir, 'proxy-telemetry-untold.json'),
          log,
          raise,
          modes,
          stored: parts,
        });
        return proxyRoutes(service, noteChange);
      },
    },
  );
  if (service === undefined) throw new Error('the proxy was not opened');
  return { service, services };
}

const parsed = loadConfig(process.env);
if (!parsed.ok) {
  console.error(`tidemark proxy cannot start: ${describeProblems(parsed.error)}`);
  process.exit(EXIT_CONFIG);
}
const config = parsed.value;
const { service, services } = await open(config);
const server = createServer(headLimit(), (request, response) => {
  try {
    if (servePath(service.proxy, request, response)) return;
  } catch (cause) {
    // One request that nobody foresaw must not end the streams of all others.
    log('error', 'a request failed', { cause, method: request.method });
    if (response.headersSent) response.destroy();
    else sendError(response, 500, 'internal', 'the proxy failed to handle this request', 'report it with the log line of this moment');
    return;
  }
  if (services === undefined) {
    if (request.url === '/healthz') response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    else sendError(response, 404, 'not_found', 'only the proxy is served here', 'use /proxy/{route}');
    return;
  }
  services.handle(request, response).then(
    (isOurs) => {
      if (!isOurs) sendError(response, 404, 'not_found', 'only the proxy and the API are served here', 'use /proxy/{route}');
    },
    () => response.destroy(),
  );
});
await service.ready;
const url = await listenOn(server, config.host, config.port, (line) => log('info', line));
log('info', `proxy ready on ${url}`, { routes: config.routes.length });
onStop(
  async () => {
    await service.close();
    await drain(server, services);
  },
  (line) => log('info', line),
);
