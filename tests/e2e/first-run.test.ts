import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
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
  await page.goto(app.url);
});
afterEach(async () => {
  await page?.close();
  await disposeApp(app);
});

test('an empty install shows lines that send the first event to this very server, and nothing serious in axe', async () => {
  await page.getByText('No record has arrived yet.').waitFor();
  expect(await page.locator('pre').first().textContent()).toContain(`curl -sS ${app.url.replace(/\/$/, '')}/api/v1/telemetry`);
  expect(await seriousFindings(page)).toEqual([]);
});

test('a sample incident is loaded by a press, and the overview says what was lost', async () => {
  await page.getByRole('button', { name: 'Load as sample-s02' }).click();
  const sentence = page.getByTestId('fleet-sentence');
  await sentence.waitFor();
  expect(await sentence.textContent()).toMatch(/^sample-s02 has silently lost 9 events in 1 session since .+ UTC\.$/);
});

test('the page opens by itself when the first record arrives from outside', async () => {
  await page.locator('[data-live="open"]').waitFor();
  await page.getByText('No record has arrived yet.').waitFor();
  await sendRecords(app, ordinaryTraffic(Date.now()));
  const sentence = page.getByTestId('fleet-sentence');
  await sentence.waitFor();
  expect(await sentence.textContent()).toContain('No unsafe resume since');
});
