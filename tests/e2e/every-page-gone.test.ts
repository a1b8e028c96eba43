import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { type CutLine, cutLineTo } from './cut-line';
import { type DatabaseLine, lineTo } from './database-line';
import { everyPage, lookAtAll, type Place, whole } from './every-page';
import { seedIncidents, sendRecords } from './screens';
import { siteOfFile } from './site';

/** Pages that are open at a time when the server goes. */
const TABS = 11;
/** Pages without a live connection that ask for nothing by themselves: what is pressed on them fails with its reason. */
const SILENT = ['join', 'sign-in'];

let database: TestDatabase;
let databaseLine: DatabaseLine;
let serverLine: CutLine;
let places: Place[];

const site = siteOfFile(
  (app) => sendRecords(app, seedIncidents(Date.now())),
  async () => {
    database = await startTestDatabase();
    databaseLine = await lineTo(database);
    return { env: { DATABASE_URL: databaseLine.url } };
  },
);
beforeAll(async () => {
  places = await everyPage(site.app);
  serverLine = await cutLineTo({ host: '127.0.0.1', port: Number(new URL(site.app.url).port) });
});
afterAll(async () => {
  await serverLine?.cut();
  await databaseLine?.cut();
  await database?.stop();
});

const failures = (page: Page) => page.getByRole('alert').filter({ hasText: 'could not be read.' });

test('when the server is gone every page says so, what to do, and how old what it shows is', async () => {
  const context = await site.browser.newContext();
  const speaking = places.filter(({ route }) => !SILENT.includes(route));
  for (let from = 0; from < speaking.length; from += TABS) {
    const batch = await Promise.all(
      speaking.slice(from, from + TABS).map(async (place) => {
        const page = await context.newPage();
        await page.goto(`http://127.0.0.1:${serverLine.port}${place.path}`);
        await whole(page);
        return { ...place, page };
      }),
    );
    await serverLine.cut();
    const unsaid: string[] = [];
    await Promise.all(
      batch.map(async ({ page, ...place }) => {
        await says(page, place).catch(() => unsaid.push(place.path));
        await page.close();
      }),
    );
    expect(unsaid).toEqual([]);
    await serverLine.mend();
  }
  await context.close();
});

/** Waits until the page says that the server is gone, as it does for somebody who comes back to it. */
async function says(page: Page, { route, asksOnce }: Place): Promise<void> {
  if (!route.startsWith('shared/')) await page.locator('[data-live="connecting"]').waitFor();
  if (asksOnce === true) return;
  const failure = failures(page).filter({ hasText: 'The server could not be reached.' }).filter({ hasText: 'Check that Tidemark runs' });
  await expect
    .poll(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return failure.filter({ hasText: /Showing data of \d\d:\d\d:\d\d UTC/ }).count();
    })
    .toBeGreaterThan(0);
  await failure.first().getByRole('button', { name: 'Retry' }).waitFor();
}

test('when the database is gone every page that needs it says so and what to do, and calls nothing none; the others go on', async () => {
  const context = await site.browser.newContext();
  await databaseLine.cut();
  await lookAtAll(context, places, 6, async (page, { path, needs }) => {
    await page.goto(new URL(path, site.app.url).href);
    if (needs !== 'database') {
      await whole(page);
      expect(await failures(page).count()).toBe(0);
      return;
    }
    const failure = failures(page).filter({ hasText: 'database' }).first();
    await failure.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await failure.textContent()).toMatch(/could not be read\. .*database/);
    expect(await page.evaluate<string>("document.querySelector('main').innerText")).not.toMatch(/^(?:No|None|Nothing)\b/m);
  });
  await databaseLine.mend();
  await context.close();
});
