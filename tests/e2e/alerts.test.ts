import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { chord } from './chord';
import { sendSamples, seriousFindings } from './screens';
import { siteOfFile } from './site';

let sink: Receiver;
let folder: string;

const CONFIG = (url: string) => `
alerts:
  channels:
    - { name: on-call, type: webhook, url: "${url}" }
    - { name: second-line, type: slack, url: "${url}" }
  rules:
    - name: lost events
      measure: unsafe_resume
      threshold: 1
      group_by: [server]
      severity: error
      channels: [on-call]
      escalate: { after_s: 3600, channels: [second-line] }
  allow_private_targets: [127.0.0.1/32]
`;

const site = siteOfFile(sendSamples, async () => {
  sink = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'tidemark alerts '));
  const config = join(folder, 'tidemark.yaml');
  writeFileSync(config, CONFIG(sink.url));
  return { env: { TIDEMARK_CONFIG: config } };
});
afterAll(async () => {
  await sink?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const { open } = site;

const firing = (page: Page, rule: string) => page.locator(`li[data-rule="${rule}"]`, { has: page.locator('[data-state="firing"]') });

test('what fires is told in a sentence and in the title, and an acknowledgement spares the second channel', async () => {
  const page = await open('/alerts?rule=lost%20events');
  const row = firing(page, 'lost events').filter({ hasText: 'sample-s02' });
  await row.getByText('unless acknowledged').waitFor();
  // Others may only begin to fire.
  await page
    .getByTestId('alert-sentence')
    .filter({ hasText: /alerts are firing since \d\d:\d\d UTC: .*lost events/ })
    .waitFor();
  await page.waitForFunction('/^\\(\\d+\\) Alerts/.test(document.title)');
  await row.getByRole('button', { name: 'Acknowledge' }).click();
  await row.getByLabel('Your name').fill('kim');
  await row.getByRole('button', { name: 'Acknowledge' }).click();
  await row.getByText('by kim').waitFor();
  await row.getByText('not needed').waitFor();
  await page.getByRole('region', { name: 'History of alerts' }).getByText('acknowledged by kim').waitFor();
});

test('a rule of the file is shown read-only, with the preview that says how often it would have fired', async () => {
  const page = await open('/alerts?tab=rules');
  const rules = page.getByRole('table');
  await rules
    .getByRole('row', { name: /lost events/ })
    .getByText('file, read-only')
    .waitFor();
  expect(await rules.getByRole('button', { name: 'Switch off lost events' }).count()).toBe(0);
  await rules.getByRole('link', { name: 'lost events' }).click();
  await page.getByText('This rule is set in the configuration file').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await page.getByTestId('preview-sentence').getByText('It would have fired 2 times in the last 7 days.').waitFor();
  await page.getByRole('img', { name: /would have fired 2 times/ }).waitFor();
  await page.getByRole('region', { name: 'Preview on history' }).getByRole('button', { name: 'Table' }).click();
  await page.getByRole('region', { name: 'When it would have fired, table' }).waitFor();
  const episodes = page.getByRole('region', { name: 'When it would have fired, table' }).locator('tbody tr');
  await expect
    .poll(async () => (await episodes.allTextContents()).map((text) => /sample-s0\d/.exec(text)?.[0]).sort())
    .toEqual(['sample-s01', 'sample-s02']);
});

test('a rule is made by keyboard, says what is wrong while it is written, and is removed again', async () => {
  const page = await open('/alerts/new');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('blind');
  await page.getByText('There is a rule of this name').waitFor();
  await name.fill('made by hand');
  const threshold = page.getByLabel('Threshold');
  await threshold.fill('many');
  await page.getByRole('button', { name: 'Make the rule', disabled: true }).waitFor();
  await threshold.fill('1000000');
  await page.getByTestId('preview-sentence').getByText('It would not have fired').waitFor();
  await threshold.press('Enter');
  await page.waitForURL(/\/alerts\?tab=rules/);
  const row = page.getByRole('row', { name: /made by hand/ });
  await row.getByRole('button', { name: 'Switch off made by hand' }).press('Enter');
  await row.getByRole('button', { name: 'Switch on made by hand' }).waitFor();
  await row.getByRole('link', { name: 'made by hand' }).press('Enter');
  await page.getByRole('button', { name: 'Remove' }).press('Enter');
  await page.waitForURL(/\/alerts\?tab=rules/);
  await row.waitFor({ state: 'detached' });
});

test('a channel is made and tested; its secret is shown once, and the log has the answer of the receiver', async () => {
  const page = await open('/alerts?tab=channels');
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const form = page.getByRole('form', { name: 'New channel' });
  await form.getByLabel('Name').fill('mine');
  await form.getByLabel('Address').fill(sink.url);
  await form.getByRole('button', { name: 'Make the channel' }).click();
  await page.getByText(/whsec_/).waitFor();
  const before = sink.requests.length;
  await page.getByRole('button', { name: 'Test mine' }).click();
  await sink.arrived(before + 1);
  await page.getByRole('row', { name: /^mine/ }).getByRole('link', { name: /^Log/ }).click();
  await page.waitForURL(/tab=deliveries&channel=mine/);
  const row = page.locator('tr[data-delivery]').filter({ hasText: 'delivered' }).filter({ hasText: '204' }).first();
  await row.getByRole('button', { name: 'test' }).click();
  await page.getByRole('region', { name: 'Attempts, table' }).getByText('204').waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  // Alerts of the file arrive here too: what is waited for is a message that came twice.
  const arrived = () => sink.requests.slice(before).map(({ id }) => id);
  await expect.poll(() => new Set(arrived()).size < arrived().length).toBe(true);
  expect(await page.content()).not.toContain('whsec_');
});

test('an alert leads to its silence, which keeps it quiet until it is ended', async () => {
  const page = await open('/alerts?rule=unsafe-resume');
  await firing(page, 'unsafe-resume').filter({ hasText: 'sample-s01' }).getByRole('link', { name: 'Silence' }).click();
  await page.waitForURL(/tab=silences/);
  await expect.poll(() => page.getByLabel('Matches').inputValue()).toBe('alertname=unsafe-resume server=sample-s01');
  await page.getByLabel('Why').fill('known');
  await page.getByLabel('Your name').fill('kim');
  await page.getByRole('form', { name: 'New silence' }).getByRole('button', { name: 'Silence' }).click();
  const row = page.getByRole('row', { name: /alertname=unsafe-resume server=sample-s01/ });
  await row.getByText('1 alert').waitFor();
  await row.getByRole('button', { name: /^End the silence/ }).click();
  await page.getByText('Nothing is silenced').waitFor();
});

test('g then t leads here, and arrow keys lead through its parts', async () => {
  const page = await open('/servers');
  await page.locator('[data-live="open"]').waitFor();
  await chord(page, 'g', 't');
  await page.waitForURL(/\/alerts$/);
  await page.getByRole('tab', { name: 'Now' }).press('ArrowRight');
  await page.waitForURL(/tab=rules/);
  await page.getByRole('tab', { name: 'Rules', selected: true }).waitFor();
});

const PATHS = [
  '/alerts',
  '/alerts?tab=rules',
  '/alerts?tab=channels',
  '/alerts?tab=deliveries',
  '/alerts?tab=silences',
  '/alerts/rules/unsafe-resume',
];

/** Waits until nothing of the page is a stand-in any more. */
async function settled(page: Page): Promise<void> {
  await page.getByTestId('alert-sentence').or(page.getByTestId('preview-sentence')).first().waitFor();
  await page.waitForFunction('document.querySelector("[class*=bone]") === null');
}

test.each(['dark', 'light'] as const)('in the %s theme no part of alerting has serious axe findings', async (theme) => {
  for (const path of PATHS) {
    const page = await open(path, { colorScheme: theme });
    await settled(page);
    await expect.poll(() => page.evaluate('document.documentElement.className')).toBe(theme);
    expect(await seriousFindings(page), path).toEqual([]);
  }
});

test('at 390 px no part of alerting is wider than the screen', async () => {
  for (const path of PATHS) {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    await settled(page);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: path }).toBeLessThanOrEqual(390);
  }
});

test('a rule that does not exist says so', async () => {
  const page = await open('/alerts/rules/no%20such%20rule');
  await page.getByText('There is no rule no such rule').waitFor();
});
