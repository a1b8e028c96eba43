import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { newId } from '@/components/samples/new-id';
import { disposeApp, startApp } from '@/tests/e2e/app-process';

/**
 * The dashboard in headless Chromium over the built app: first meaningful paint while the slowest query hangs, frames of
 * overview and live tail at 60 updates a second, frames of a long list that is scrolled from end to end. Frames are
 * compared with an empty frame loop of the same run, so that what the machine itself drops does not count. Needs the
 * built app (`npm start` builds it) and a Chromium in TIDEMARK_CHROMIUM. What the queries cost with ten million
 * attempts is measured by `bench/queries.ts`, which `npm run bench:dashboard` runs before.
 */
const { values } = parseArgs({ options: { rows: { type: 'string', default: '50000' }, seconds: { type: 'string', default: '6' } } });
const ROWS = Number(values.rows);
const FRAMES_MS = Number(values.seconds) * 1_000;
const UPDATES_PER_S = 60;
const DROPPED_MAX = 0.05;
/** How long the slowest query hangs, and what the first paint may take of it. */
const HANGING_MS = 5_000;
const PAINT_SHARE_MAX = 0.5;
/** A hand that turns a wheel quickly. */
const WHEEL_PX_PER_S = 4_000;
const BATCH = 2_000;

const executablePath = process.env['TIDEMARK_CHROMIUM'];
if (executablePath === undefined) throw new Error('set TIDEMARK_CHROMIUM to a Chromium');
const app = await startApp();
const browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage', '--no-sandbox'] });
let failed = false;
try {
  await store(ROWS);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await measurePaint(context);
  const idle = await idleFrames(context);
  await measureLive(context, '/?range=1h', 'overview', idle);
  await measureLive(context, '/tail', 'live tail', idle);
  await measureScroll(context, idle);
} finally {
  await browser.close();
  await disposeApp(app);
}
process.exitCode = failed ? 1 : 0;

function report(name: string, isWithin: boolean, words: string): void {
  failed ||= !isWithin;
  console.log(`${isWithin ? 'ok  ' : 'SLOW'} ${name}: ${words}`);
}

/** Attempts of the last fifty minutes, most of them rightly resumed. */
function attempts(count: number, fromMs: number, toMs: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const isRefused = index % 12 === 0;
    const cursor = isRefused ? 3 + (index % 6) : 20 + (index % 80);
    return {
      type: 'resume_attempt',
      id: newId(),
      at: new Date(fromMs + ((toMs - fromMs) * index) / count).toISOString(),
      server: `server-${index % 12}`,
      session: `session-${index % 900}`,
      generation: 1,
      requested_generation: 1,
      session_state: 'live',
      floor: 10,
      head: 100,
      holes: [],
      last_event_id: String(cursor),
      cursor,
      ...(isRefused
        ? { verdict: 'refused', status: index % 24 === 0 ? 409 : 200, reason: 'below_floor' }
        : { verdict: 'resumed', status: 200, replayed: { count: 100 - cursor, first: String(cursor + 1), last: '100' } }),
    };
  });
}

async function store(count: number): Promise<void> {
  const toMs = Date.now() - 60_000;
  const all = attempts(count, toMs - 3_000_000, toMs);
  for (let first = 0; first < all.length; first += BATCH) await send(all.slice(first, first + BATCH));
}

async function send(records: readonly object[]): Promise<void> {
  const response = await fetch(`${app.url}/api/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(records),
  });
  if (response.status !== 202) throw new Error(`telemetry was answered ${response.status}`);
}

/** When the sentence about the fleet stands while the list of servers hangs, and when it stands without that. */
async function measurePaint(context: BrowserContext): Promise<void> {
  const painted = async (isHanging: boolean): Promise<number> => {
    const page = await context.newPage();
    if (isHanging)
      await page.route('**/api/v1/servers?*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, HANGING_MS));
        await route.continue().catch(() => undefined);
      });
    const since = performance.now();
    await page.goto(`${app.url}/?range=1h`, { waitUntil: 'commit' });
    await page.getByTestId('fleet-sentence').waitFor();
    const ms = performance.now() - since;
    await page.close();
    return ms;
  };
  await painted(false);
  const [free, hanging] = [await painted(false), await painted(true)];
  const words = `${hanging.toFixed(0)} ms while one query hangs for ${HANGING_MS} ms, ${free.toFixed(0)} ms otherwise`;
  report('first meaningful paint', hanging < HANGING_MS * PAINT_SHARE_MAX, words);
}

async function idleFrames(context: BrowserContext): Promise<number> {
  const page = await context.newPage();
  await page.goto(`${app.url}/docs/findings`);
  const frames = await countFrames(page);
  await page.close();
  return frames;
}

/** Frames that the page draws in the measured time. */
function countFrames(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const until = performance.now() + ${FRAMES_MS};
    let frames = 0;
    const next = (now) => (frames++, now < until ? requestAnimationFrame(next) : resolve(frames));
    requestAnimationFrame(next);
  })`);
}

/** Sixty times a second something is stored, and sixty times a second the page is told so. */
async function measureLive(context: BrowserContext, path: string, name: string, idle: number): Promise<void> {
  const page = await context.newPage();
  let told = 0;
  await page.routeWebSocket('**/api/v1/live*', (socket) => {
    const place = () => ({ generation: 'bench', seq: told });
    socket.send(JSON.stringify({ type: 'open', verdict: 'fresh', replayed: 0, ...place() }));
    const timer = setInterval(() => {
      told++;
      socket.send(
        JSON.stringify({ type: 'stored', at: new Date().toISOString(), stored: 4, attempts: 4, servers: ['server-1'], ...place() }),
      );
    }, 1_000 / UPDATES_PER_S);
    socket.onClose(() => clearInterval(timer));
  });
  await page.goto(`${app.url}${path}`);
  await page.locator('[data-live="open"]').waitFor();
  await page.getByRole('main').waitFor();
  const sent: Promise<void>[] = [];
  const timer = setInterval(() => sent.push(send(attempts(4, Date.now() - 1_000, Date.now()))), 1_000 / UPDATES_PER_S);
  told = 0;
  const frames = await countFrames(page);
  clearInterval(timer);
  await Promise.all(sent);
  const dropped = Math.max(0, 1 - frames / idle);
  const words = `${(dropped * 100).toFixed(1)} % of ${idle} frames dropped (at most ${DROPPED_MAX * 100} %), ${told} updates told, ${sent.length} batches stored`;
  report(`${name} at ${UPDATES_PER_S} updates/s`, dropped <= DROPPED_MAX, words);
  await page.close();
}

/** The whole list is read by going to its end again and again; then its frames are counted while it is scrolled. */
async function measureScroll(context: BrowserContext, idle: number): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${app.url}/attempts?range=3h`);
  await page.locator('tr[data-id]').first().waitFor();
  await page.evaluate(`(async () => {
    const pane = document.querySelector('table[aria-rowcount]').parentElement;
    window.pane = pane;
    while (pane.scrollHeight < ${ROWS} * 28) {
      pane.scrollTop = pane.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })()`);
  const rows = await page.evaluate<number>('Math.round(pane.scrollHeight / 28)');
  const wheel = await scrolled(page, WHEEL_PX_PER_S);
  report(`list of ${rows} rows at ${WHEEL_PX_PER_S} px/s`, 1 - wheel / idle <= DROPPED_MAX, droppedWords(wheel, idle));
  // All of it in seconds, as one drags a scroll bar: every frame shows other rows, sketched. Told, not judged.
  const dragged = await scrolled(page, (rows * 28 * 1_000) / FRAMES_MS);
  console.log(`     list of ${rows} rows dragged from end to end: ${droppedWords(dragged, idle)}`);
  await page.close();
}

/** Frames drawn while the list is scrolled up from its end. */
async function scrolled(page: Page, pxPerS: number): Promise<number> {
  const counted = countFrames(page);
  await page.evaluate(`(() => {
    const [from, bottom] = [performance.now(), pane.scrollHeight - pane.clientHeight];
    const next = (now) => {
      pane.scrollTop = bottom - ((now - from) / 1000) * ${pxPerS};
      if (now - from < ${FRAMES_MS}) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })()`);
  return counted;
}

function droppedWords(frames: number, idle: number): string {
  return `${(Math.max(0, 1 - frames / idle) * 100).toFixed(1)} % of ${idle} frames dropped`;
}
