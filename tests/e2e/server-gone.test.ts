import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { seedIncidents, sendRecords, seriousFindings } from './screens';

let app: AppProcess;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await disposeApp(app);
});

test('when the server is gone the last good data stays, with its age, the next step and a way to retry', async () => {
  await sendRecords(app, seedIncidents(Date.now()));
  const page = await browser.newPage();
  await arrive(page, app.url);
  await page.getByTestId('fleet-sentence').waitFor();
  await page.locator('[data-live="open"]').waitFor();
  app.kill('SIGTERM');
  await app.exited;
  await page.locator('[data-live="connecting"]').waitFor();
  // While it stops it may still answer that it does: the one that is gone is waited for.
  const alert = page
    .getByRole('alert')
    .filter({ hasText: 'The summary could not be read.' })
    .filter({ hasText: 'The server could not be reached.' });
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/The server could not be reached\. Showing data of \d\d:\d\d:\d\d UTC/);
  expect(await alert.textContent()).toContain('Check that Tidemark runs');
  expect(await page.getByTestId('fleet-sentence').isVisible()).toBe(true);
  expect(await alert.getByRole('button', { name: 'Retry' }).isVisible()).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
});
