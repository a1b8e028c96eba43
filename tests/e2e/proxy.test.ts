import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initialize, resume } from '@/tests/proxy/raw-client';
import { type RunningServer, serverEverything } from '@/tests/proxy/real-servers';
import { until } from '@/tests/proxy/start-proxy';
import { type AppProcess, disposeApp, freshDataDir, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { seriousFindings } from './screens';

let app: AppProcess;
let browser: Browser;
let upstream: RunningServer;
let session: Record<string, string>;

beforeAll(async () => {
  upstream = await serverEverything();
  const dataDir = freshDataDir();
  const config = join(dataDir, 'tidemark.json');
  writeFileSync(config, JSON.stringify({ proxy: { routes: [{ name: 'everything', upstream: upstream.url, mode: 'shadow' }] } }));
  [app, browser] = await Promise.all([startApp({ dataDir, env: { TIDEMARK_CONFIG: config } }), openBrowser()]);
  session = await initialize(proxied());
});
afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await disposeApp(app);
  await upstream?.stop();
});

const proxied = () => `${app.url}/proxy/everything`;

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  await arrive(page, `${app.url}/proxy-routes`);
  return page;
}

async function routeOnApi(): Promise<{ mode: string; refused: Record<string, number>; would_refuse: Record<string, number> }> {
  const { items } = (await (await fetch(`${app.url}/api/v1/proxy/routes`)).json()) as { items: [never] };
  return items[0];
}

test('an operator sees what shadow would have refused, turns enforcement on, and the next unsafe resume is refused', async () => {
  for (const cursor of ['never-issued', 'nor-this']) expect((await resume(proxied(), session, cursor)).status).toBe(200);
  await until(async () => (await routeOnApi()).would_refuse['unknown_cursor'] === 2);
  await until(async () => {
    const summary = (await (await fetch(`${app.url}/api/v1/summary?server=everything`)).json()) as { totals: { attempts: number } };
    return summary.totals.attempts === 2;
  });
  const page = await open();
  const backtest = page.getByRole('region', { name: 'Backtest' });
  await backtest.getByText('2 of 2 attempts in the last 3 hours (100 %) would have been refused instead of resumed.').waitFor();
  await backtest.getByRole('row', { name: 'unknown_cursor 2' }).waitFor();
  await page.getByRole('group', { name: 'Mode of everything' }).getByRole('button', { name: 'enforce' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Switch everything from shadow to enforce?' });
  expect(await dialog.textContent()).toContain('2 of 2 attempts');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect((await routeOnApi()).mode).toBe('shadow');
  await page.getByRole('button', { name: 'enforce' }).click();
  await dialog.getByRole('button', { name: 'Switch to enforce' }).click();
  await page.getByRole('button', { name: 'enforce', pressed: true }).waitFor();
  expect((await routeOnApi()).mode).toBe('enforce');
  expect((await resume(proxied(), session, 'never-issued')).status).toBe(409);
  await page.getByRole('region', { name: 'Refusals', exact: true }).getByRole('row', { name: 'unknown_cursor 1 2' }).waitFor();
  await page.context().close();
});

test('the share of canary is asked for with the switch, can be changed afterwards, and is what the change log says', async () => {
  const page = await open();
  const modes = page.getByRole('group', { name: 'Mode of everything' });
  await modes.getByRole('button', { name: 'canary' }).click();
  const share = page.getByLabel('Share of the sessions, in percent');
  await share.fill('');
  await page.getByText('A number from 0 to 100.').waitFor();
  expect(await page.getByRole('button', { name: 'Switch to canary' }).isDisabled()).toBe(true);
  await share.fill('25');
  await page.getByRole('button', { name: 'Switch to canary' }).click();
  await page.getByText('Refuses for 25 % of the sessions').waitFor();
  await page.getByRole('button', { name: 'Change the share' }).click();
  await page.getByRole('alertdialog', { name: 'Change the share of canary on everything?' }).waitFor();
  await share.fill('40');
  await page.getByRole('button', { name: 'Change to 40 %' }).click();
  await page.getByText('Refuses for 40 % of the sessions').waitFor();
  const { items } = (await (await fetch(`${app.url}/api/v1/changes?action=proxy.mode_switched`)).json()) as { items: unknown[] };
  expect(items[0]).toMatchObject({ from: { mode: 'canary', canary_percent: 25 }, to: { mode: 'canary', canary_percent: 40 } });
  await modes.getByRole('button', { name: 'enforce' }).click();
  await page.getByRole('button', { name: 'Switch to enforce' }).click();
  await page.getByRole('button', { name: 'enforce', pressed: true }).waitFor();
  await page.context().close();
});

test('a live session can be ended, and its client is told with 404', async () => {
  const other = await initialize(proxied());
  const page = await open();
  const sessions = page.getByRole('region', { name: 'Live sessions', exact: true });
  await sessions.getByText('2 live sessions').waitFor();
  await sessions
    .getByRole('button', { name: /^End session/ })
    .first()
    .click();
  await sessions.getByText('1 live session', { exact: true }).waitFor();
  const statuses = [await resume(proxied(), session, 'x'), await resume(proxied(), other, 'x')].map(({ status }) => status);
  expect(statuses.sort()).toEqual([404, 409]);
  await page.context().close();
});

test.each([
  ['desktop, dark', { colorScheme: 'dark' as const }],
  ['phone, light', { colorScheme: 'light' as const, viewport: { width: 390, height: 844 } }],
])('has no serious accessibility finding and no sideways scroll on %s', async (_name, options) => {
  const page = await open(options);
  await page.getByRole('region', { name: 'Refusals', exact: true }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  await page.context().close();
});
