import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { chord } from './chord';
import { ordinaryTraffic, sendRecords, sendSamples, seriousFindings } from './screens';
import { siteOfFile } from './site';

const site = siteOfFile(sendSamples);

const { open } = site;

const attemptRows = (page: Page) => page.getByRole('table', { name: 'Attempts' }).locator('tr[data-id]');

/** Sum of a column of a chart's table; null while it has no such column. */
async function sumOf(table: Locator, column: string): Promise<number | null> {
  const place = (await table.locator('th').allTextContents()).indexOf(column);
  if (place < 0) return null;
  const cells = await table.locator(`tbody tr td:nth-child(${place + 1})`).allTextContents();
  return cells.reduce((sum, cell) => sum + Number(cell), 0);
}

/** Path of the session page of a server's only session. */
async function sessionPath(server: string): Promise<string> {
  const response = await fetch(`${site.app.url}/api/v1/attempts?server=${server}&limit=1`);
  const { items } = (await response.json()) as { items: { session: string }[] };
  return `/sessions/${items[0]?.session}`;
}

test('the overview names the losing servers, and its chart tells the same numbers as its table', async () => {
  const page = await open('/');
  await page
    .getByTestId('fleet-sentence')
    .filter({ hasText: /^sample-s01 and sample-s02 have silently lost at least 9 events in 2 sessions/ })
    .waitFor();
  await expect.poll(() => page.title()).toBe('(3) Overview · Tidemark');
  const chart = page.getByRole('region', { name: 'Resume attempts over time', exact: true });
  await chart.getByRole('img', { name: /9 events lost/ }).waitFor();
  await chart.getByRole('button', { name: 'Table' }).click();
  const table = chart.getByRole('region', { name: 'Resume attempts over time, table' });
  await expect.poll(() => sumOf(table, 'unsafe resume')).toBe(3);
  await chord(page, 'g', 'v');
  await page.waitForURL(/\/servers/);
  await expect.poll(() => page.title()).toBe('Servers · Tidemark');
});

test('the number of resume_unavailable, its strip and the list that it leads to say the same', async () => {
  const page = await open('/?range=1h');
  const chart = page.getByRole('region', { name: 'Resume attempts over time', exact: true });
  const counted = chart.getByRole('listitem').filter({ hasText: 'resume_unavailable' }).locator('b');
  await chart.locator('[data-strip="resume_unavailable"]').waitFor({ state: 'attached' });
  await chart.getByRole('img', { name: /[1-9]\d* resume_unavailable, most at/ }).waitFor();
  const number = page
    .getByRole('region', { name: 'Headline numbers', exact: true })
    .getByRole('link')
    .filter({ hasText: 'resume_unavailable' });
  await number.locator('b').filter({ hasText: /[1-9]/ }).waitFor();
  const count = Number(await number.locator('b').textContent());
  await expect.poll(async () => Number(await counted.textContent())).toBe(count);
  await chart.getByRole('button', { name: 'Table' }).click();
  const table = chart.getByRole('region', { name: 'Resume attempts over time, table' });
  await expect.poll(() => sumOf(table, 'resume_unavailable')).toBe(count);
  await number.click();
  await page.waitForURL((url) => url.pathname === '/attempts' && url.searchParams.get('unavailable') === 'true');
  await page.getByText(`${count} attempt${count === 1 ? '' : 's'}`, { exact: true }).waitFor();
  await page.waitForFunction(`document.querySelectorAll('tr[data-id]').length === ${count}`);
  const facet = page.getByRole('group', { name: 'resume_unavailable' });
  await expect.poll(() => facet.getByRole('checkbox', { name: /live cursor refused/ }).isChecked()).toBe(true);
  await expect.poll(() => page.getByRole('searchbox', { name: 'Filter' }).inputValue()).toBe('unavailable:true');
});

test('what happened beside the attempts stands over the bars and in the table, missing telemetry is hatched', async () => {
  const chart = (page: Page) => page.getByRole('region', { name: 'Resume attempts over time', exact: true });
  const numbered = (sequence: number) => ({
    'tidemark-producer': 'p',
    'tidemark-epoch': 'e',
    'tidemark-sequence': String(sequence),
    'tidemark-dropped': '0',
  });
  const at = (minute: number) => new Date(Date.now() - minute * 60_000).toISOString();
  for (const [sequence, minute] of [
    [1, 40],
    [3, 20],
  ] as const) {
    const record = { ...ordinaryTraffic(Date.now())[0], id: newId(), at: at(minute), server: 'noted-mcp' } as TelemetryRecord;
    await sendRecords(site.app, [record], numbered(sequence));
  }
  await sendRecords(site.app, [{ type: 'boot', server: 'noted-mcp', node: 'n1', generation: 2, at: at(35) }]);
  const reply = await fetch(`${site.app.url}/api/v1/deploys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ server: 'noted-mcp', version: 'v42', at: at(30) }),
  });
  expect(reply.status).toBe(201);
  const page = await open('/servers/noted-mcp?range=1h');
  const lane = chart(page).getByRole('list', { name: 'Beside the attempts: deploys and boots' });
  await lane.getByText('v42').waitFor();
  await lane.getByText('boot noted-mcp').waitFor();
  await expect.poll(() => chart(page).locator('[data-blind]').count()).toBe(1);
  await chart(page).getByText('telemetry missing').waitFor();
  await chart(page).getByRole('button', { name: 'Table' }).click();
  await chart(page).getByText('deployed v42: noted-mcp').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

test('the period before is drawn on demand, and its choice is part of the link', async () => {
  const page = await open('/?range=1h');
  const chart = (of: Page) => of.getByRole('region', { name: 'Resume attempts over time', exact: true });
  await chart(page).getByRole('button', { name: 'Before' }).click();
  await page.waitForURL(/before=true/);
  await chart(page).locator('[data-before]').waitFor({ state: 'attached' });
  const linked = await open(page.url());
  await chart(linked).locator('[data-before]').waitFor({ state: 'attached' });
});

test('the overview tells how close cursors were to the floor, in columns and as a table', async () => {
  const page = await open('/?range=1h');
  const leads = page.getByRole('region', { name: 'Lead to the floor', exact: true });
  await leads.getByRole('img').waitFor();
  await leads.getByRole('button', { name: 'Table' }).click();
  await leads.getByRole('columnheader', { name: 'Events until loss' }).waitFor();
  await page.getByRole('region', { name: 'Reconnect storms', exact: true }).waitFor();
});

test('a filter goes into the URL, and the URL brings the same list back', async () => {
  const page = await open('/attempts?range=1h');
  await attemptRows(page).first().waitFor();
  await page.getByRole('group', { name: 'Verdict' }).getByText('unsafe resume').click();
  await page.waitForURL(/mark=unsafe_resume/);
  await page.getByText('3 attempts', { exact: true }).waitFor();
  await page.waitForFunction('document.querySelectorAll("tr[data-id]").length === 3');
  const again = await open(page.url());
  await again.getByText('3 attempts', { exact: true }).waitFor();
  await again.waitForFunction('document.querySelectorAll("tr[data-id]").length === 3');
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes('mark='));
});

test('a filter that matches nothing says so and is cleared by a press', async () => {
  const page = await open('/attempts?range=1h&q=nowhere-to-be-found');
  await page.getByText('No attempt matches nowhere-to-be-found in the last hour').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await attemptRows(page).first().waitFor();
});

test('the keyboard alone leads from the list to the proof and to the session', async () => {
  const page = await open('/attempts?range=1h&server=sample-s02');
  await attemptRows(page).first().waitFor();
  await page.keyboard.press('j');
  await page.locator('tr[aria-current="true"]').waitFor();
  await page.keyboard.press('Enter');
  const proof = page.getByTestId('peek').getByTestId('proof');
  await proof.getByText('1043 to 1051 are missing after 1042').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('peek').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await proof.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/attempts\/[0-9a-f-]{36}\?range=1h$/);
  await page.getByRole('link', { name: 'Open the session' }).press('Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f]{32}/);
});

test('the session page draws the gap with its count, and list, plot and proof share one selection', async () => {
  const page = await open(await sessionPath('sample-s02'));
  const plot = page.getByTestId('position-plot');
  await expect.poll(() => plot.innerHTML()).toMatch(/9 never sent/);
  await expect.poll(() => plot.getAttribute('aria-label')).toContain('1 unsafe resume that lost 9 events');
  await page.locator('[data-type="resume"][aria-current="true"]').waitFor();
  await page.getByTestId('proof').waitFor();
  const gap = page.getByRole('region', { name: 'Findings' }).getByRole('button', { name: /gap/ }).first();
  expect(await gap.textContent()).toContain('9 events');
  await page.keyboard.press('j');
  await page.locator('[data-type="deliver"][aria-current="true"]').waitFor();
  await page.getByTestId('proof').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Attempt 1, unsafe resume, cursor 1042/ }).click();
  await page.locator('[data-type="resume"][aria-current="true"]').waitFor();
  await page.waitForURL(/step=52/);
});

test('a session of two generations shows their boundary and what caused it', async () => {
  const page = await open(await sessionPath('sample-s01'));
  const plot = page.getByTestId('position-plot');
  await expect
    .poll(() => plot.locator('text').allTextContents())
    .toEqual(expect.arrayContaining(['generation 1', 'generation 2', 'boot n1, restored']));
});

test.each(['dark', 'light'] as const)('in the %s theme every page is free of serious axe findings', async (theme) => {
  const session = await sessionPath('sample-s02');
  const attempt = `/attempts?range=1h&server=sample-s02`;
  for (const path of ['/', attempt, session, '/sessions', '/servers']) {
    const page = await open(path, { colorScheme: theme });
    await page
      .getByText(/sample-s02/)
      .first()
      .waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.className')).toBe(theme);
    expect(await seriousFindings(page), path).toEqual([]);
  }
});

test('a chosen theme stays after a reload, whatever the system says', async () => {
  const page = await open('/', { colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Light theme' }).click();
  await page.waitForFunction('document.documentElement.className === "light"');
  await page.reload();
  await page.waitForFunction('document.documentElement.className === "light"');
});

test('at 390 px no page is wider than the screen, and the places stand at the bottom', async () => {
  const session = await sessionPath('sample-s02');
  for (const path of ['/', '/attempts?range=1h&server=sample-s02', session, '/sessions', '/servers']) {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    await page
      .getByText(/sample-s02|unsafe resume/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: path }).toBeLessThanOrEqual(390);
    const nav = await page.getByRole('navigation', { name: 'Main' }).boundingBox();
    expect(nav?.y ?? 0, path).toBeGreaterThan(700);
  }
});

test('new attempts appear while the page is open, and do not while it is paused', async () => {
  const page = await open('/attempts?range=1h&server=late-mcp');
  await page.locator('[data-live="open"]').waitFor();
  await page.getByText(/No attempt matches/).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('[data-live="paused"]').waitFor();
  const record = (id: number) => ({ ...ordinaryTraffic(Date.now())[id], server: 'late-mcp' }) as ReturnType<typeof ordinaryTraffic>[number];
  await sendRecords(site.app, [record(1)]);
  expect(await attemptRows(page).count()).toBe(0);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('[data-live="open"]').waitFor();
  await sendRecords(site.app, [record(2)]);
  await page.waitForFunction('document.querySelectorAll("tr[data-id]").length === 2');
});

test('an attempt or a session that does not exist says so', async () => {
  const attempt = await open('/attempts/00000000-0000-4000-8000-000000000000');
  await attempt.getByText('No attempt has this id').waitFor();
  const session = await open(`/sessions/${'0'.repeat(32)}`);
  await session.getByText('No session has this reference').waitFor();
});
