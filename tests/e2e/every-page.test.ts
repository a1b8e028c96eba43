import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { everyPage, lookAtAll, type Place, whole } from './every-page';
import { seedIncidents, sendRecords, seriousFindings } from './screens';
import { siteOfFile } from './site';

const site = siteOfFile((app) => sendRecords(app, seedIncidents(Date.now())));

let places: Place[];
beforeAll(async () => {
  places = await everyPage(site.app);
});

test('every page of the app is among those that are looked at', () => {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => basename(file) === 'page.tsx');
  const routes = files.map((file) => (file === 'page.tsx' ? '' : dirname(file)));
  expect([...new Set(places.map(({ route }) => route))].sort()).toEqual(routes.sort());
});

test.each([
  ['dark', 1440],
  ['dark', 390],
  ['light', 1440],
  ['light', 390],
] as const)(
  'in the %s theme at %i px every page has its content, no serious axe finding, and nothing wider than the screen',
  async (colorScheme, width) => {
    const context = await site.browser.newContext({ colorScheme, viewport: { width, height: 844 } });
    await lookAtAll(context, places, 3, async (page, { path }) => {
      await page.goto(new URL(path, site.app.url).href);
      await whole(page);
      expect(await page.getByRole('alert').filter({ hasText: 'could not be read' }).allTextContents()).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.className')).toBe(colorScheme);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await seriousFindings(page)).toEqual([]);
    });
    await context.close();
  },
);
