import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import type { AppProcess } from './app-process';
import { chord } from './chord';
import { sendSamples, seriousFindings } from './screens';
import { siteOfFile } from './site';

const AUDIT_MS = 180_000;

/** Stored findings of a server, as the API lists them. */
async function stored(app: AppProcess, server: string): Promise<{ id: string; code: string; session: string }[]> {
  const response = await fetch(`${app.url}/api/v1/findings?server=${server}`);
  return ((await response.json()) as { items: { id: string; code: string; session: string }[] }).items;
}

const site = siteOfFile(async (app) => {
  await sendSamples(app);
  await vi.waitFor(async () => expect((await stored(app, 'sample-s02')).map(({ code }) => code)).toContain('gap'), { timeout: AUDIT_MS });
});

const { open } = site;

const rows = (page: Page) => page.getByRole('table', { name: 'Findings' }).locator('tr[data-id]');

test('the keyboard alone leads from the overview to a proof, and on to the session and to what it means', async () => {
  const page = await open('/');
  await page.getByTestId('fleet-sentence').waitFor();
  await chord(page, 'g', 'f');
  await page.waitForURL(/\/findings/);
  await rows(page).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('code:gap server:sample-s02');
  await page.keyboard.press('Enter');
  await page.waitForURL(/code=gap/);
  await page.getByText('1 finding', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const proof = page.getByTestId('finding-proof');
  await page.getByTestId('peek').getByTestId('finding-proof').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/findings\/[0-9a-f-]{36}$/);
  await proof.getByText('Every message after the cursor is written, in order, or the resume is refused.').waitFor();
  await proof.getByText('nothing would be lost').first().waitFor();
  await page.getByRole('region', { name: 'The resume attempt by the rules' }).getByText('1043 to 1051 are missing after 1042').waitFor();
  await page.getByRole('region', { name: 'Cited records' }).getByText('first illegal').waitFor();
  await page.getByRole('region', { name: 'Position against time' }).getByRole('img').waitFor();
  await page.getByRole('link', { name: 'Open the session' }).press('Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f]{32}\?attempt=/);
  await page.goBack();
  await page.getByRole('link', { name: 'What it means' }).press('Enter');
  await page.waitForURL(/\/docs\/findings\/gap$/);
});

test('facets count what the list shows, and a facet and its URL bring the same list', async () => {
  const page = await open('/findings?range=1h');
  await rows(page).first().waitFor();
  const critical = page.getByRole('group', { name: 'Severity' }).getByText('critical');
  await critical.click();
  await page.waitForURL(/severity=critical/);
  // More may be found meanwhile.
  const counted = async () => {
    const response = await fetch(`${site.app.url}/api/v1/findings/facets?severity=critical`);
    return ((await response.json()) as { total: number }).total;
  };
  const said = (where: Page, total: number) => where.getByText(`${total} findings`, { exact: true }).count();
  await expect.poll(async () => said(page, await counted())).toBe(1);
  const again = await open(page.url());
  await expect
    .poll(async () => {
      const total = await counted();
      return [await said(again, total), (await rows(again).count()) - total];
    })
    .toEqual([1, 0]);
});

test('the overview counts the findings and names the newest; the session links each to its proof', async () => {
  const page = await open('/');
  const kinds = page.getByRole('region', { name: 'Findings by kind' });
  await kinds.getByRole('link', { name: /gap/ }).waitFor();
  await page.getByRole('region', { name: 'Newest findings' }).getByRole('link').nth(1).waitFor();
  const [finding] = (await stored(site.app, 'sample-s02')).filter(({ code }) => code === 'gap');
  const session = await open(`/sessions/${finding?.session}`);
  await session.locator(`a[href="/findings/${finding?.id}"]`, { hasText: 'The proof' }).first().waitFor();
});

test('a refused or unsafe attempt says the smallest change that would have made it right', async () => {
  const response = await fetch(`${site.app.url}/api/v1/attempts?server=sample-s02&mark=unsafe_resume`);
  const { items } = (await response.json()) as { items: { id: string }[] };
  const page = await open(`/attempts/${items[0]?.id}`);
  await page.getByTestId('smallest-change').filter({ hasText: 'Smallest change: holes 1043 to 1051 → none after the cursor' }).waitFor();
});

test('a finding that does not exist says so', async () => {
  const page = await open('/findings/00000000-0000-4000-8000-000000000000');
  await page.getByText('No finding has this id').waitFor();
});

test('times are shown in the zone that is chosen, and the choice stays', async () => {
  const page = await open('/attempts?range=1h', { timezoneId: 'Asia/Tokyo' });
  await page.getByRole('columnheader', { name: 'Time, UTC', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Times of this place' }).click();
  await page.getByRole('columnheader', { name: 'Time, UTC+09:00' }).waitFor();
  await page.reload();
  await page.getByRole('columnheader', { name: 'Time, UTC+09:00' }).waitFor();
});

test.each(['dark', 'light'] as const)(
  'in the %s theme a finding is free of serious axe findings, at 390 px no wider than the screen',
  async (colorScheme) => {
    const [finding] = (await stored(site.app, 'sample-s02')).filter(({ code }) => code === 'gap');
    const page = await open(`/findings/${finding?.id}`, { colorScheme });
    await page.getByTestId('finding-proof').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const peek = await open(`/findings?peek=${finding?.id}`, { colorScheme });
    await peek.getByTestId('finding-proof').waitFor();
    expect(await seriousFindings(peek)).toEqual([]);
    const phone = await open(`/findings/${finding?.id}`, { colorScheme, viewport: { width: 390, height: 844 } });
    await phone.getByTestId('finding-proof').waitFor();
    await expect.poll(() => phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  },
);
