import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, startUpstream } from './processes';
import { Figures, sayMark, sayRow } from './report';
import { paced } from './streams';

const PAGES_PER_SECOND = 20;
const PAGES = ['/', '/attempts', '/findings', '/incidents', '/proxy-routes', '/alerts'];
const START_MS = 180_000;

/** The whole product as `npm start` runs it, with one enforcing route to the bench's upstream. */
async function startApp(upstreamPort: number): Promise<Running> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-app-'));
  const upstream = `http://127.0.0.1:${upstreamPort}/mcp`;
  writeFileSync(join(dir, 'config.json'), JSON.stringify({ proxy: { routes: [{ name: 'r', upstream, mode: 'enforce' }] } }));
  const child = spawn('npm', ['start', '--silent'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PORT: '0', DATA_DIR: join(dir, 'data'), TIDEMARK_CONFIG: join(dir, 'config.json') },
  });
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const ready = /ready on http:\/\/[^ "]*:(\d+)/.exec(said);
      if (ready !== null) resolve(Number(ready[1]));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', () => reject(new Error(`the product ended: ${said.slice(-2000)}`)));
    setTimeout(() => reject(new Error(`the product was not ready in time: ${said.slice(-2000)}`)), START_MS).unref();
  });
  child.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return { kind: 'tidemark', port, pids: [], stop: () => void child.kill('SIGTERM') };
}

/** Loads pages at a fixed rate until it is stopped; answers how many were asked for and how many came whole. */
function loadPages(port: number): () => { readonly asked: number; readonly answered: number } {
  const agent = new Agent({ keepAlive: true });
  let answered = 0;
  let sent = 0;
  const timer = setInterval(() => {
    const path = PAGES[sent++ % PAGES.length];
    get({ host: '127.0.0.1', port, path, agent, headers: { accept: 'text/html' } }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) answered++;
      });
    }).on('error', () => undefined);
  }, 1000 / PAGES_PER_SECOND);
  return () => {
    clearInterval(timer);
    agent.destroy();
    return { asked: sent, answered };
  };
}

/** The proxy inside the product, quiet and while pages are loaded, in turns. */
export async function measurePages(rounds: number, ms: number): Promise<void> {
  const upstream = await startUpstream();
  const app = await startApp(upstream.port);
  const figures = new Figures<'quiet' | 'pages'>();
  try {
    await paced(app, 50, 50, 2000);
    loadPages(app.port)();
    for (let round = 0; round < rounds; round++) {
      const quiet = await paced(app, 100, 20, ms);
      const stop = loadPages(app.port);
      const busy = await paced(app, 100, 20, ms);
      const { asked, answered } = stop();
      figures.add('pages', 'loaded', answered);
      figures.add('pages', 'share', answered / asked);
      for (const [when, one] of [['quiet', quiet] as const, ['pages', busy] as const]) {
        figures.add(when, 'p50', one.p50);
        figures.add(when, 'p99', one.p99);
      }
    }
  } finally {
    app.stop();
    upstream.stop();
  }
  sayRow('us, 100 streams', 'p50', 'p99');
  for (const when of ['quiet', 'pages'] as const) sayRow(when, figures.of(when, 'p50').toFixed(0), figures.of(when, 'p99').toFixed(0));
  sayRow('pages answered', `${figures.of('pages', 'loaded')} a round`);
  sayMark('pages answered, of those asked for', figures.of('pages', 'share'), 0.9, false);
  sayMark('p99 while pages are loaded, of quiet', figures.ratio('pages', 'quiet', 'p99'), 1.2);
}
