import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { openBrowser } from './browser';

let app: AppProcess;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), openBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await disposeApp(app);
});

test('the overview renders in a browser without an error in its console', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const response = await page.goto(app.url);
  expect(response?.status()).toBe(200);
  await page.getByRole('main').waitFor();
  expect(errors).toEqual([]);
});
