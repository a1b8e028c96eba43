import { expect, test } from 'vitest';
import { siteOfFile } from './site';

const site = siteOfFile();

test('the overview renders in a browser without an error in its console', async () => {
  const page = await site.browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const response = await page.goto(site.app.url);
  expect(response?.status()).toBe(200);
  await page.getByRole('main').waitFor();
  expect(errors).toEqual([]);
});
