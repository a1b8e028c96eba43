import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { chord } from './chord';
import { ordinaryTraffic, seedIncidents, sendRecords, seriousFindings } from './screens';

const PASSWORD = 'correct horse battery staple';
let app: AppProcess;
let browser: Browser;
/** The browser of an administrator. */
let page: Page;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp({ env: { TIDEMARK_AUTH: 'on' } }), openBrowser()]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  await arrive(page, /(http:\S+\/join#\S+)/.exec(app.output())?.[1] ?? 'about:blank');
  await page.getByLabel('Your name').fill('Ada Admin');
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join and sign in' }).click();
  await page.waitForURL(`${app.url}/`);
});
afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await disposeApp(app);
});

const isSidewaysFree = (on: Page): Promise<boolean> => on.evaluate('document.documentElement.scrollWidth <= innerWidth');
const row = (name: string) => page.getByRole('region', { name: 'Projects, table' }).getByRole('row').filter({ hasText: name });
const choice = (on: Page) => on.getByRole('combobox', { name: 'Project', exact: true });

/** Makes a project and a key of it on the pages; answers with the key. */
async function makeProject(name: string): Promise<string> {
  await arrive(page, `${app.url}/settings?tab=projects`);
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('form', { name: 'New project' }).getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  await row(name).waitFor();
  await arrive(page, `${app.url}/settings?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).first().click();
  const form = page.getByRole('form', { name: 'New key' });
  await form.getByLabel('Label').fill(`agents of ${name}`);
  await form.getByLabel('Project').selectOption(name);
  await form.getByRole('button', { name: 'Make the key' }).click();
  return (await page.getByTestId('shown-once').textContent()) ?? '';
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('projects', () => {
  let shop: string;

  beforeAll(async () => {
    await arrive(page, `${app.url}/servers`);
    await page.getByText('No server in this range').waitFor();
    expect(await choice(page).count()).toBe(0);
    shop = await makeProject('shop');
    const search = await makeProject('search');
    const now = Date.now();
    await sendRecords(app, ordinaryTraffic(now), bearer(search));
    await sendRecords(
      app,
      seedIncidents(now).map((record) => ({ ...record, server: 'shop-mcp' })),
      bearer(shop),
    );
  });

  test('are made, renamed and archived by an administrator; their keys and servers are counted', async () => {
    await arrive(page, `${app.url}/settings?tab=projects`);
    await page.getByText('3 projects', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rename search' }).press('Enter');
    await page.getByRole('form', { name: 'Name of search' }).getByLabel('Name').fill('shop');
    await page.keyboard.press('Enter');
    await page.getByText('another project has this name').waitFor();
    await page.getByRole('form', { name: 'Name of search' }).getByLabel('Name').fill('finding');
    await page.keyboard.press('Enter');
    await row('finding').getByRole('link', { name: '1' }).waitFor();
    await page.getByRole('button', { name: 'Archive shop' }).click();
    await page.getByRole('alertdialog', { name: 'Archive shop?' }).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('keys of this project still hold').waitFor();

    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('form', { name: 'New project' }).getByLabel('Name').fill('short-lived');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Archive short-lived' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
    await row('short-lived').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '1 archived' }).click();
    await page.getByRole('button', { name: 'Restore short-lived' }).waitFor();

    await arrive(page, `${app.url}/settings?tab=changes&about=project`);
    await page.getByText('name search → finding').waitFor();
  });

  test('keys are listed by project', async () => {
    await arrive(page, `${app.url}/settings?tab=keys`);
    const keys = page.getByRole('region', { name: 'Keys, table' });
    await keys.getByText('agents of shop').waitFor();
    await choice(page).selectOption('shop');
    await page.waitForURL(/project=shop/);
    await keys.getByText('agents of search').waitFor({ state: 'detached' });
    expect(await keys.getByText('agents of shop').count()).toBe(1);
  });

  test('a page looks at one of them: what it counts, where it leads, and the places after it', async () => {
    await arrive(page, `${app.url}/`);
    await page.getByRole('link', { name: 'shop-mcp' }).first().waitFor();
    await page.getByRole('link', { name: 'search-mcp' }).first().waitFor();
    await choice(page).selectOption('finding');
    await page.waitForURL(/project=finding/);
    await page.getByRole('link', { name: 'shop-mcp' }).first().waitFor({ state: 'detached' });
    await page.locator('a[href*="mark=over_refusal"]').first().click();
    await page.waitForURL(/\/attempts\?.*project=finding/);
    await page.getByText('1 attempt', { exact: true }).waitFor();
    for (const [key, path] of [
      ['v', 'servers'],
      ['s', 'sessions'],
      ['f', 'findings'],
      ['i', 'incidents'],
    ] as const) {
      await chord(page, 'g', key);
      await page.waitForURL(new RegExp(`/${path}\\?project=finding`));
      await expect.poll(() => choice(page).inputValue()).toBe('finding');
      await page.waitForLoadState('networkidle');
      expect(await page.locator('main').getByText('shop-mcp').count()).toBe(0);
    }
    await choice(page).selectOption('All projects');
    await page.waitForURL(`${app.url}/incidents`);
    await page.locator('main').getByText('shop-mcp').first().waitFor();
    await page.goBack();
    await page.waitForURL(/project=finding/);
  });

  test('a server is moved, and its old key can send for it no more', async () => {
    await arrive(page, `${app.url}/settings?tab=projects`);
    await page.getByRole('button', { name: 'Servers of shop' }).click();
    const servers = page.getByRole('region', { name: 'Servers of shop' });
    await servers.getByLabel('Project for shop-mcp').selectOption('finding');
    await servers.getByRole('button', { name: 'Move shop-mcp' }).click();
    await page.getByRole('alertdialog', { name: 'Move shop-mcp to finding?' }).getByRole('button', { name: 'Move' }).click();
    await servers.getByText('0 servers of shop').waitFor();
    const again = ordinaryTraffic(Date.now())
      .slice(0, 1)
      .map((record) => ({ ...record, server: 'shop-mcp' }));
    await expect(sendRecords(app, again, bearer(shop))).rejects.toThrow('foreign_server');
    await arrive(page, `${app.url}/servers?project=finding`);
    await page.getByRole('link', { name: 'shop-mcp' }).waitFor();
  });
});

describe.each([
  { name: 'wide and dark', colorScheme: 'dark' as const, viewport: { width: 1440, height: 900 } },
  { name: 'narrow and light', colorScheme: 'light' as const, viewport: { width: 390, height: 844 } },
])('$name', ({ colorScheme, viewport }) => {
  test.each(['/', '/servers', '/attempts', '/findings', '/sessions', '/incidents', '/settings?tab=projects', '/settings?tab=keys'])(
    '%s with a project chosen has no serious finding of axe, nothing is cut off at the side',
    async (path) => {
      const context = await browser.newContext({ colorScheme, viewport, storageState: await page.context().storageState() });
      await context.addInitScript("localStorage.setItem('tidemark-theme', 'system')");
      const other = await context.newPage();
      await other.goto(`${app.url}${path}${path.includes('?') ? '&' : '?'}project=finding`, { waitUntil: 'networkidle' });
      if (path.includes('projects')) await other.getByRole('button', { name: 'Servers of finding' }).click();
      expect(await seriousFindings(other)).toEqual([]);
      await expect.poll(() => isSidewaysFree(other)).toBe(true);
      const shots = process.env['SHOTS'];
      if (shots !== undefined) await other.screenshot({ path: `${shots}/${path.replaceAll(/\W+/g, '-')}-${viewport.width}.png` });
      await context.close();
    },
  );
});
