import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { disposeApp, startApp } from '@/tests/e2e/app-process';

/**
 * The timeline debugger over one long incident in headless Chromium (limits: open under 2 s, seek under 50 ms, scrub at
 * 50 frames/s or more), each beside a yardstick of the same run: the bare fetch of the records, and an empty frame loop.
 * Needs the built app (`npm start` builds it) and a Chromium in TIDEMARK_CHROMIUM.
 */
const { values } = parseArgs({ options: { records: { type: 'string', default: '100000' }, sessions: { type: 'string', default: '31' } } });
const RECORDS = Number(values.records);
const SESSIONS = Number(values.sessions);
const SEEKS = 60;
const SCRUB_MS = 3_000;
const LIMITS = { openMs: 2_000, seekMs: 50, framesPerS: 50 };

const executablePath = process.env['TIDEMARK_CHROMIUM'];
if (executablePath === undefined) throw new Error('set TIDEMARK_CHROMIUM to a Chromium');
const app = await startApp();
const browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] });
let failed = false;
try {
  const id = await importIncident(history());
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${app.url}/incidents`);
  const fetched = await page.evaluate<number>(`(async () => {
    const from = performance.now();
    for (let cursor = ''; cursor !== null; ) {
      const answer = await fetch('/api/v1/incidents/${id}/records?limit=50000&cursor=' + cursor);
      await answer.text();
      cursor = answer.headers.get('tidemark-next');
    }
    return performance.now() - from;
  })()`);
  const opened = await openIncident(page, id);
  report(
    'open',
    opened,
    LIMITS.openMs,
    'ms',
    opened <= LIMITS.openMs,
    `${(opened / fetched).toFixed(1)} times the bare fetch of the records (${fetched.toFixed(0)} ms)`,
  );
  await page.locator('[data-judged="true"]').waitFor();
  const seeks = await seekOften(page);
  const slowest = Math.max(...seeks);
  const median = [...seeks].sort((a, b) => a - b)[seeks.length >> 1] ?? 0;
  report('seek, slowest', slowest, LIMITS.seekMs, 'ms', slowest <= LIMITS.seekMs, `median ${median.toFixed(1)} ms over ${seeks.length}`);
  const idle = await framesPerSecond(page, false);
  const scrub = await framesPerSecond(page, true);
  report(
    'scrub',
    scrub,
    LIMITS.framesPerS,
    'frames/s',
    scrub >= LIMITS.framesPerS,
    `${((scrub / idle) * 100).toFixed(0)} % of an empty frame loop (${idle.toFixed(1)})`,
  );
} finally {
  await browser.close();
  await disposeApp(app);
}
process.exitCode = failed ? 1 : 0;

function report(name: string, value: number, limit: number, unit: string, isWithin: boolean, beside: string): void {
  failed ||= !isWithin;
  console.log(`${isWithin ? 'ok  ' : 'SLOW'} ${name}: ${value.toFixed(1)} ${unit} (limit ${limit}), ${beside}`);
}

async function importIncident(records: readonly TelemetryRecord[]): Promise<string> {
  const response = await fetch(`${app.url}/api/v1/incidents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: `${RECORDS} records in ${SESSIONS} sessions`, records }),
  });
  const answer = (await response.json()) as { id?: string };
  if (answer.id === undefined) throw new Error(`the incident was not imported: ${JSON.stringify(answer)}`);
  return answer.id;
}

/** From the press on the incident in the list to its picture on the screen. */
async function openIncident(page: Page, id: string): Promise<number> {
  await page.locator(`[data-incident="${id}"] a`).waitFor();
  return page.evaluate<number>(`new Promise((resolve) => {
    const from = performance.now();
    document.querySelector('[data-incident="${id}"] a').click();
    (function look() {
      if (document.querySelector('[data-testid="stage"]')?.width > 300) requestAnimationFrame(() => resolve(performance.now() - from));
      else requestAnimationFrame(look);
    })();
  })`);
}

/** From a press on the clock to the state of that moment in the panel, painted. */
function seekOften(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`(async () => {
    const box = document.querySelector('[data-testid="stage"]').parentElement;
    const rect = box.getBoundingClientRect();
    const heading = () => document.querySelector('[aria-label="State"] h2').textContent;
    const took = [];
    for (let seek = 0; seek < ${SEEKS}; seek++) {
      const at = { bubbles: true, pointerId: 1, button: 0, clientX: rect.left + 90 + ((seek * 48271) % (rect.width - 170)), clientY: rect.top + 60 };
      const before = heading();
      const from = performance.now();
      box.dispatchEvent(new PointerEvent('pointerdown', at));
      box.dispatchEvent(new PointerEvent('pointerup', at));
      while (heading() === before && performance.now() - from < 1000) await new Promise((next) => setTimeout(next));
      took.push(performance.now() - from);
    }
    return took;
  })()`);
}

/** Frames in a second while the playhead is dragged to and fro over the clock, or while nothing is done. */
function framesPerSecond(page: Page, isScrubbing: boolean): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const box = document.querySelector('[data-testid="stage"]').parentElement;
    const rect = box.getBoundingClientRect();
    const clockY = rect.bottom - 6 * 27 - 12;
    const send = (type, x) => box.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, clientX: x, clientY: clockY }));
    const xAt = (ms) => rect.left + 90 + (rect.width - 170) * (0.5 - 0.5 * Math.cos(ms / 700));
    let frames = 0;
    const from = performance.now();
    if (${isScrubbing}) send('pointerdown', xAt(0));
    requestAnimationFrame(function frame(now) {
      frames += 1;
      if (${isScrubbing}) send('pointermove', xAt(now - from));
      if (now - from < ${SCRUB_MS}) requestAnimationFrame(frame);
      else {
        if (${isScrubbing}) send('pointerup', xAt(now - from));
        resolve((frames / (performance.now() - from)) * 1000);
      }
    });
  })`);
}

/** Streams that emit, evict, are cut and resumed, some of them unsafely, with calls on the way. */
function history(): TelemetryRecord[] {
  const start = Date.UTC(2026, 0, 1);
  return Array.from({ length: RECORDS }, (_, n): TelemetryRecord => {
    const session = n % SESSIONS;
    const turn = Math.floor(n / SESSIONS);
    const head = turn - Math.floor(turn / 10) * 4;
    const common = { at: new Date(start + n * 12).toISOString(), server: 'bench-mcp', session: `s${session}`, generation: 1 };
    const conn = `c${Math.floor(turn / 10)}`;
    switch (turn % 10) {
      case 6:
        return { ...common, type: 'evict', floor: String(Math.max(0, head - 60)), cause: 'count' };
      case 7:
        return { ...common, type: 'close', conn, by: 'network' };
      case 8:
        return {
          ...common,
          type: 'resume_attempt',
          conn: `c${Math.floor(turn / 10) + 1}`,
          last_event_id: String(Math.max(0, head - 5 - (turn % 97))),
          verdict: 'resumed',
          status: 200,
        };
      case 9:
        return { ...common, type: 'request', conn, rpc: { method: 'tools/call', id: turn }, tool: 'search', status: 200 };
      default:
        return { ...common, type: 'emit', event_id: String(head), rpc: { type: 'notification', method: 'notifications/message' } };
    }
  });
}
