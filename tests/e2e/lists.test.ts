import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arrive } from './arrive';
import { chord } from './chord';
import { ordinaryTraffic, sendRecords, sendSamples, seriousFindings } from './screens';
import { siteOfFile } from './site';

const site = siteOfFile(sendSamples);

const { open } = site;

/** Compressed bytes that the scripts of the overview may have in all. */
const OVERVIEW_BYTES_MAX = 300_000;

const rows = (page: Page, name: string) => page.getByRole('table', { name }).locator('tr[data-id]');
/** Waits until nothing of the overview moves any more because something above it arrives. */
async function settled(page: Page): Promise<void> {
  await page.getByTestId('fleet-sentence').waitFor();
  await page.waitForFunction('document.querySelector("[class*=bone]") === null');
}
const query = (page: Page) => page.getByRole('searchbox', { name: 'Filter' });

test('a typed query filters, goes into the URL, and comes back from it as it was typed', async () => {
  const page = await open('/attempts?range=1h');
  await rows(page, 'Attempts').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('server:sample-s02 mark:unsafe_resume gap>8');
  await page.keyboard.press('Enter');
  await page.waitForURL(/gap=9\.\./);
  await page.getByText('1 attempt', { exact: true }).waitFor();
  const again = await open(page.url());
  await again.getByText('1 attempt', { exact: true }).waitFor();
  await expect.poll(() => query(again).inputValue()).toBe('mark:unsafe_resume server:sample-s02 gap>8');
});

test.each([
  ['/findings', 'Findings', '-severity:critical -server:sample-s01', /severity_not=critical&server_not=sample-s01/],
  ['/sessions', 'Sessions', '-server:search-mcp', /server_not=search-mcp/],
] as const)('in the list at %s a query leaves out, in the URL too', async (path, name, text, url) => {
  const page = await open(`${path}?range=1h`);
  await rows(page, name).first().waitFor();
  const left = rows(page, name).filter({ hasText: name === 'Findings' ? /critical|sample-s01/ : 'search-mcp' });
  await left.first().waitFor();
  await query(page).fill(text);
  await query(page).press('Enter');
  await page.waitForURL(url);
  await left.first().waitFor({ state: 'detached' });
  await rows(page, name).first().waitFor();
  const again = await open(page.url());
  await rows(again, name).first().waitFor();
  await expect.poll(() => query(again).inputValue()).toBe(text);
});

test('rows that fly past are only sketched, and stand there in full where the list comes to rest', async () => {
  const page = await open('/attempts?range=1h&server=search-mcp');
  await rows(page, 'Attempts').first().waitFor();
  await page.evaluate(`(() => {
    const pane = document.querySelector('table[aria-rowcount]').parentElement;
    const leap = (frame) => {
      pane.scrollTop = frame % 2 === 0 ? 0 : 5000;
      window.leaping = requestAnimationFrame(() => leap(frame + 1));
    };
    leap(1);
  })()`);
  const sketched = page.getByRole('table', { name: 'Attempts' }).locator('tr[data-skimmed]');
  await sketched.first().waitFor({ state: 'attached' });
  await page.evaluate('cancelAnimationFrame(window.leaping)');
  await sketched.first().waitFor({ state: 'detached' });
  await rows(page, 'Attempts').first().waitFor();
});

test('a query that cannot be read says where and why, and filters nothing', async () => {
  const page = await open('/attempts?range=1h');
  await rows(page, 'Attempts').first().waitFor();
  await query(page).fill('server:sample-s02 reason:holl');
  await query(page).press('Enter');
  const problem = page.getByRole('alert').filter({ hasText: 'reason is one of' });
  await problem.waitFor();
  await expect.poll(() => problem.locator('mark').textContent()).toBe('holl');
  await expect.poll(() => query(page).getAttribute('aria-invalid')).toBe('true');
  expect(page.url()).not.toContain('server=');
  expect(await seriousFindings(page)).toEqual([]);
});

test('a view that is saved stands among the views after a reload, and is forgotten on demand', async () => {
  const page = await open('/attempts?range=1h&reason=hole');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByLabel('Name').fill('holes only');
  await page.getByLabel('Name').press('Enter');
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'holes only' }).waitFor();
  await views.getByRole('link', { name: 'All attempts' }).click();
  await page.waitForURL((url) => !url.search.includes('reason='));
  await page.reload();
  await views.getByRole('link', { name: 'holes only' }).click();
  await page.waitForURL((url) => url.searchParams.get('reason') === 'hole' && url.searchParams.get('range') === '1h');
  await views.getByRole('button', { name: 'Forget the view holes only' }).click();
  await views.getByRole('link', { name: 'holes only' }).waitFor({ state: 'detached' });
});

test('a column that is taken out stays out for this browser and in the link', async () => {
  const page = await open('/attempts?range=1h');
  await rows(page, 'Attempts').first().waitFor();
  const head = (where: Page, name: string) => where.getByRole('columnheader', { name, exact: true });
  await head(page, 'Floor').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Floor' }).click();
  await head(page, 'Floor').waitFor({ state: 'detached' });
  // The address follows a moment later.
  await page.waitForURL(/cols=/);
  const linked = await open(page.url());
  await head(linked, 'Cursor').waitFor();
  await expect.poll(() => head(linked, 'Floor').count()).toBe(0);
  await arrive(page, new URL('/attempts?range=1h', site.app.url).href);
  await head(page, 'Cursor').waitFor();
  await expect.poll(() => head(page, 'Floor').count()).toBe(0);
});

test('the filtered list is taken away as CSV and as JSON, and a toast says what happened', async () => {
  const page = await open('/attempts?range=1h&server=sample-s02');
  await rows(page, 'Attempts').first().waitFor();
  const take = async (format: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: format }).click()]);
    return readFileSync(await download.path(), 'utf8');
  };
  const csv = await take('CSV');
  await page
    .getByText(/^1 attempt exported as CSV, /)
    .first()
    .waitFor();
  const lines = csv.trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^at,server,node,session,/);
  expect(lines[1]).toContain(',sample-s02,');
  const items = JSON.parse(await take('JSON')) as { server: string; mark: string }[];
  expect(items.map(({ server, mark }) => ({ server, mark }))).toEqual([{ server: 'sample-s02', mark: 'unsafe_resume' }]);
});

test('rows are selected by a key, and the selection is counted', async () => {
  const page = await open('/attempts?range=1h&server=search-mcp');
  await rows(page, 'Attempts').first().waitFor();
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
});

test('the list of sessions has every session, and the keyboard leads into one', async () => {
  const page = await open('/sessions?range=1h&server=sample-s02');
  await rows(page, 'Sessions').first().waitFor();
  await page.getByText('1 session', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByTestId('peek').getByText('1 resume attempt').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f]{32}/);
});

test('a server tells what it keeps against what is needed, and what to do', async () => {
  const page = await open('/servers/search-mcp?range=1h');
  await page.getByRole('region', { name: 'Retention' }).getByText('kept, median').waitFor();
  const advice = page.getByRole('region', { name: 'Advice' });
  await advice.getByText('1 cursor was refused though everything after them was retained.').waitFor();
  await page.getByRole('region', { name: 'Clients' }).getByText('not named').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const unknown = await open('/servers/nobody');
  await unknown.getByText('No server has this name').waitFor();
});

test('the palette leads by name and by id, and the list of keys opens and closes by key', async () => {
  const page = await open('/');
  await page.getByTestId('fleet-sentence').waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByTestId('palette');
  await palette.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.type('search-mcp');
  await palette.getByRole('option', { name: 'search-mcp', exact: true }).click();
  await page.waitForURL(/\/servers\/search-mcp/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('0'.repeat(32));
  await palette.getByText('Open the session of this reference').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByTestId('shortcuts').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByTestId('shortcuts').waitFor({ state: 'detached' });
});

test('T turns the chart under the pointer into its table, and a chord with T goes elsewhere', async () => {
  const page = await open('/');
  await settled(page);
  const gaps = page.getByRole('region', { name: 'Gap size', exact: true });
  await gaps.getByRole('button', { name: 'Table' }).hover();
  await page.keyboard.press('t');
  await gaps.getByRole('columnheader', { name: 'Events missing' }).waitFor();
  const numbers = page.getByRole('region', { name: 'Headline numbers', exact: true });
  await numbers.getByRole('button', { name: 'Table' }).focus();
  await page.keyboard.press('t');
  await numbers.getByRole('columnheader', { name: 'Unsafe resumes' }).waitFor();
  await page.waitForURL(/tables=[^&]*numbers/);
  await chord(page, 'g', 'a');
  await page.waitForURL(/\/attempts/);
});

test('dragging over the chart zooms, back undoes it, and the keys shift the range', async () => {
  const page = await open('/?range=1h');
  const chart = page.getByRole('region', { name: 'Resume attempts over time', exact: true }).getByRole('img').first();
  await chart.locator('svg').first().waitFor();
  await settled(page);
  const box = await chart.boundingBox();
  if (box === null) throw new Error('the chart has no box');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 80, { steps: 4 });
  await page.getByTestId('dragged').waitFor();
  await page.mouse.up();
  await page.waitForURL(/range=\d{4}-.+\.\./);
  await page.goBack();
  await page.waitForURL(/range=1h$/);
  await page.keyboard.press('[');
  await page.waitForURL(/range=\d{4}-.+\.\./);
  await page.keyboard.press(']');
  await page.waitForURL(/range=1h$/);
});

test('a stretch of time goes along from page to page, is said to be fixed, and leads back to live', async () => {
  const page = await open('/');
  await page.locator('[data-live="open"]').waitFor();
  await page.keyboard.press('[');
  await page.waitForURL(/range=\d{4}-.+\.\./);
  await page.getByText('Fixed range').waitFor();
  const range = rangeOf(page);
  await chord(page, 'g', 'a');
  await page.waitForURL(/\/attempts\?/);
  await expect.poll(() => rangeOf(page)).toBe(range);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click();
  await page.waitForURL(/\/incidents\?/);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await expect.poll(() => rangeOf(page)).toBe(range);
  await page.keyboard.press(']');
  await page.locator('[data-live="open"]').waitFor();
  await page.keyboard.press('[');
  await page.getByRole('button', { name: 'Back to live' }).click();
  await page.locator('[data-live="open"]').waitFor();
  await expect.poll(() => rangeOf(page)).toBeNull();
});

test('the link that is copied shows the same time, zone, columns and tables to whoever opens it', async () => {
  const page = await open('/attempts?range=1h');
  await rows(page, 'Attempts').first().waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox').first().click();
  await page.waitForURL(/cols=/);
  const columns = new URL(page.url()).searchParams.get('cols');
  // Another day, the address says nothing of them: the browser remembers.
  await arrive(page, new URL('/attempts?range=1h', site.app.url).href);
  await rows(page, 'Attempts').first().waitFor();
  const link = await copiedLink(page);
  expect(link.searchParams.get('range')).toMatch(/^\d{4}-.+Z\.\.\d{4}-.+Z$/);
  expect(link.searchParams.get('zone')).toBe('utc');
  expect(link.searchParams.get('cols')).toBe(columns);
  const linked = await open('/tail', { timezoneId: 'Asia/Tokyo' });
  await arrive(linked, link.href);
  await linked.getByText('Fixed range').waitFor();
  await rows(linked, 'Attempts').first().waitFor();
});

test('a chart shown as a table is so under its address too', async () => {
  const page = await open('/?range=1h&tables=leads');
  const leads = page.getByRole('region', { name: 'Lead to the floor', exact: true });
  await leads.getByRole('columnheader', { name: 'Events until loss' }).waitFor();
  await leads.getByRole('button', { name: 'Chart' }).click();
  await leads.getByRole('img').waitFor();
  await page.waitForURL((url) => !url.searchParams.has('tables'));
});

test('on a phone, what can be done with a list is behind one control', async () => {
  const page = await open('/attempts?range=1h', { viewport: { width: 390, height: 844 } });
  await rows(page, 'Attempts').first().waitFor();
  await page.getByRole('button', { name: 'More for this list' }).click();
  const more = page.getByRole('dialog', { name: 'More for this list' });
  for (const name of ['Columns', 'Export', 'Copy link']) await more.getByRole('button', { name }).waitFor();
  await more.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox').first().waitFor();
});

test('the keys move the focus along the incidents, on a screen that shows few of them too, and open the one it is on', async () => {
  const page = await open('/incidents', { viewport: { width: 1440, height: 260 } });
  await page.locator('tr[data-incident]').first().waitFor();
  const last = (await page.locator('tr[data-incident]').count()) - 1;
  for (let row = 0; row <= last; row++) await page.keyboard.press('j');
  const focused = page.locator('tr[data-incident][aria-current="true"] a:focus');
  await focused.waitFor();
  await expect
    .poll(async () => {
      const box = await focused.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 260;
    })
    .toBe(true);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/incidents\/[0-9a-f-]{36}/);
});

test('what could not be read is not said to be none', async () => {
  const page = await open('/tail');
  await page.route(/\/api\/v1\/annotations/, (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '{}' }));
  await arrive(page, new URL('/?range=1h', site.app.url).href);
  const storms = page.getByRole('region', { name: 'Reconnect storms', exact: true });
  await storms.getByRole('alert').waitFor();
  expect(await storms.getByText(/^None in this range/).count()).toBe(0);
});

test('the live tail shows what arrives, and holds still while paused', async () => {
  const page = await open('/tail?server=tail-mcp');
  await page.locator('[data-live="open"]').waitFor();
  await page.getByText('Nothing arrived in the last 24 hours').waitFor();
  const record = (index: number) =>
    ({ ...ordinaryTraffic(Date.now())[index], server: 'tail-mcp' }) as ReturnType<typeof ordinaryTraffic>[number];
  const lines = page.getByRole('region', { name: 'What arrives' }).getByRole('listitem');
  await sendRecords(site.app, [record(1)]);
  await lines.first().waitFor();
  await page.keyboard.press('l');
  await page.getByText('Held still.').waitFor();
  await sendRecords(site.app, [record(2)]);
  expect(await lines.count()).toBe(1);
  await page.keyboard.press('l');
  await lines.nth(1).waitFor();
});

test('what a finding means is a page of the app', async () => {
  const page = await open('/docs/findings');
  await page.getByRole('link', { name: 'cross_generation_replay', exact: true }).click();
  await page.getByRole('heading', { name: 'How to fix' }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const missing = await page.goto(new URL('/docs/findings/nothing', site.app.url).href);
  expect(missing?.status()).toBe(404);
});

test.each(['dark', 'light'] as const)('in the %s theme the lists are free of serious axe findings', async (colorScheme) => {
  const server = `/servers/sample-s02?range=1h`;
  for (const path of [
    '/sessions?range=1h&server=sample-s02',
    '/findings?range=1h',
    '/tail?server=sample-s02',
    '/attempts?range=1h',
    server,
  ]) {
    const page = await open(path, { colorScheme });
    await page.getByRole('main').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await seriousFindings(page), path).toEqual([]);
  }
});

test('at 390 px no list is wider than the screen', async () => {
  for (const path of ['/sessions?range=1h', '/findings?range=1h', '/tail', '/servers/sample-s02?range=1h', '/docs/findings/gap']) {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    await page.getByRole('main').waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: path }).toBeLessThanOrEqual(390);
  }
});

test('all scripts of the overview, those that come later included, stay within their budget', async () => {
  const page = await site.browser.newPage();
  // Other places are fetched ahead while nothing else is to do: their scripts are theirs.
  await page.route('**/*', (route) => ('next-router-prefetch' in route.request().headers() ? route.abort() : route.continue()));
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) sizes.push(response.body().then((body) => gzipSync(body).byteLength));
  });
  await arrive(page, site.app.url);
  await page.getByTestId('fleet-sentence').waitFor();
  await page.getByRole('region', { name: 'Resume attempts over time', exact: true }).getByRole('img').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByTestId('shortcuts').waitFor();
  await page.waitForLoadState('networkidle');
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  expect(sizes.length).toBeGreaterThan(5);
  expect(total).toBeLessThan(OVERVIEW_BYTES_MAX);
});

/** The text that the control copies, as the page hands it to the browser. */
async function copiedLink(page: Page): Promise<URL> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.app.url });
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
}

function rangeOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('range');
}
