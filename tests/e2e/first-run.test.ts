import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { ordinaryTraffic, sendRecords, seriousFindings } from './screens';

let browser: Browser;
let app: AppProcess;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  app = await startApp();
  page = await browser.newPage();
  await arrive(page, app.url);
});
afterEach(async () => {
  await page?.close();
  await disposeApp(app);
});

test('an empty install shows lines that send the first event to this very server, and nothing serious in axe', async () => {
  await page.getByText('No record has arrived yet.').waitFor();
  const address = app.url.replace(/\/$/, '');
  await page
    .locator('pre')
    .filter({ hasText: `curl -sS ${address}/api/v1/telemetry` })
    .first()
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

test('a sample incident is loaded by a press, and the overview says what was lost', async () => {
  await page.getByRole('button', { name: 'Load as sample-s02' }).click();
  // The sentence of a moment before may stand there first.
  await page
    .getByTestId('fleet-sentence')
    .filter({ hasText: /^sample-s02 has silently lost 9 events in 1 session since .+ UTC\.$/ })
    .waitFor();
});

test('the page opens by itself when the first record arrives from outside', async () => {
  await page.locator('[data-live="open"]').waitFor();
  await page.getByText('No record has arrived yet.').waitFor();
  await sendRecords(app, ordinaryTraffic(Date.now()));
  await page.getByTestId('fleet-sentence').filter({ hasText: 'No loss seen among the 302 attempts that could be judged since' }).waitFor();
});
