import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { seedIncidents, sendRecords, seriousFindings } from './screens';
import { siteOfFile } from './site';

const START = Date.UTC(2025, 11, 1, 2, 14);
const SESSIONS = 4;

let hole = '';
let restored = '';
let many = '';
let s02 = '';
let sized = '';

const site = siteOfFile(async (app) => {
  await sendRecords(app, seedIncidents(Date.now()));
  hole = await importOf('A hole in the log', SAMPLE_S02.records(START, 'token', newId));
  restored = await importOf('Same token, new generation', SAMPLE_S01.records(START, 'token', newId));
  many = await importOf('Four sessions with a hole', manySessions());
  sized = await importOf('Events of a known size', sizedEvents());
  s02 = await sessionOf('sample-s02');
});

function manySessions(): TelemetryRecord[] {
  const records = Array.from({ length: SESSIONS }, (_, n) => SAMPLE_S02.records(START + n * 40_000, `token-${n}`, newId)).flat();
  return records.sort((a, b) => Date.parse(String(a.at)) - Date.parse(String(b.at)));
}

/** Forty events of 100 bytes each; the first thirty are evicted while the client, which has ten, is away. */
function sizedEvents(): TelemetryRecord[] {
  const ids = Array.from({ length: 40 }, (_, n) => `E_${1001 + n}`);
  return [
    { type: 'session', event: 'created' },
    { type: 'open', conn: 'c1', method: 'GET', status: 200 },
    ...ids.map((event_id): TelemetryRecord => ({ type: 'emit', event_id, bytes: 100 })),
    { type: 'deliver', conn: 'c1', event_ids: ids.slice(0, 10) },
    { type: 'close', conn: 'c1', by: 'network' },
    { type: 'evict', floor: 'E_1031', cause: 'bytes' },
    { type: 'resume_attempt', conn: 'c2', last_event_id: 'E_1010', verdict: 'refused', status: 409 },
  ];
}

async function importOf(title: string, records: readonly TelemetryRecord[]): Promise<string> {
  const response = await fetch(`${site.app.url}/api/v1/incidents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title, records }),
  });
  const { id } = (await response.json()) as { id: string };
  return `/incidents/${id}`;
}

async function sessionOf(server: string): Promise<string> {
  const response = await fetch(`${site.app.url}/api/v1/attempts?server=${server}&limit=1`);
  const { items } = (await response.json()) as { items: { session: string }[] };
  return items[0]?.session ?? '';
}

const { open } = site;

const DIVERGENCE = /^0 steps are alike, then they differ in type: session at the left, boot at the right\.$/;

/** The debugger of a page, judged whole. */
async function openDebugger(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(path, options);
  await page.locator('[data-testid="debugger"][data-judged="true"]').waitFor();
  return page;
}

const current = (page: Page, type: string) => page.locator(`[data-type="${type}"][aria-current="true"]`);
const playhead = (page: Page) => page.getByTestId('playhead');

/** The handle takes the focus once the stage was measured and it has a place there. */
async function focusPlayhead(page: Page): Promise<void> {
  await playhead(page).waitFor();
  await playhead(page).focus();
}

test('an incident opens at what went wrong, with state, proof, consequence and the first illegal event', async () => {
  const page = await openDebugger(hole);
  await current(page, 'resume').waitFor();
  const proof = page.getByRole('region', { name: 'Proof' });
  await proof.filter({ hasText: '1043 to 1051 are missing after 1042' }).waitFor();
  await proof.filter({ hasText: 'First illegal event: record 53 writes E_1052 first' }).waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.filter({ hasText: '1030 to 1075, without 1043 to 1051' }).waitFor();
  await state.filter({ hasText: 'lost: what it needs next is gone' }).waitFor();
  await page.getByRole('region', { name: 'Consequences' }).filter({ hasText: 'gap' }).waitFor();
  await expect.poll(() => page.getByTestId('stage').getAttribute('aria-label')).toContain('1 unsafe resume that lost 9 events');
});

test('steps, jumps and the way back to the loss move one playhead that every pane follows', async () => {
  const page = await openDebugger(hole);
  await current(page, 'resume').waitFor();
  await page.keyboard.press('b');
  await current(page, 'emit').waitFor();
  await page.getByRole('heading', { name: /^State after record 50/ }).waitFor();
  await page.keyboard.press('.');
  await current(page, 'evict').waitFor();
  await page.keyboard.press('r');
  await current(page, 'resume').waitFor();
  await page.keyboard.press('f');
  await current(page, 'deliver').waitFor();
  await page.keyboard.press(',');
  await current(page, 'resume').waitFor();
  await page.keyboard.press('k');
  await current(page, 'evict').waitFor();
  await expect.poll(() => playhead(page).getAttribute('aria-valuetext')).toMatch(/^record 51 of 54, \d\d:\d\d:\d\d\.\d{3} UTC, evict$/);
});

test('the next generation is the boot, and Shift leads back', async () => {
  const page = await openDebugger(`${restored}?step=1`);
  await page.keyboard.press('n');
  await current(page, 'boot').waitFor();
  await page.keyboard.press('Shift+R');
  await page.keyboard.press('r');
  await current(page, 'resume').waitFor();
  await page.getByTestId('proof').filter({ hasText: 'The cursor is of generation 1, the live one is 2' }).waitFor();
});

test('a drag along the clock scrubs, and the state is that of the moment', async () => {
  const page = await openDebugger(hole);
  await current(page, 'resume').waitFor();
  await playhead(page).waitFor();
  const box = await page.getByTestId('stage').boundingBox();
  if (box === null) throw new Error('the stage has no box');
  const clockY = box.y + box.height - 6 * 27 - 12;
  await page.mouse.move(box.x + box.width * 0.8, clockY);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, clockY, { steps: 8 });
  await page.mouse.move(box.x + 60, clockY, { steps: 8 });
  await page.mouse.up();
  await page.getByRole('heading', { name: /^State after record 1 / }).waitFor();
  await current(page, 'session').waitFor();
});

test('playing arrives at the end by itself, and stops there', async () => {
  const page = await openDebugger(`${hole}?step=45`);
  await page.getByRole('button', { name: '10', exact: true }).click();
  await page.getByRole('button', { name: 'Play (Space)' }).click();
  await page.getByRole('heading', { name: /^State after record 54 / }).waitFor();
  await page.getByRole('button', { name: 'Play (Space)' }).waitFor();
});

test('what was seen is in the URL: record, viewport, marks, pins and filter come back', async () => {
  const page = await openDebugger(hole);
  await page.keyboard.press('m');
  await page.keyboard.press('p');
  for (const key of ['w', 'w', 'd', ',']) await page.keyboard.press(key);
  await page.keyboard.press('/');
  await page.keyboard.type('type:evict');
  await page.waitForURL(/step=51.*filter=type/);
  const url = new URL(page.url());
  expect(url.searchParams.get('view')).toMatch(/^-?\d+~\d+$/);
  const again = await openDebugger(url.pathname + url.search);
  await current(again, 'evict').waitFor();
  await expect.poll(() => again.getByRole('list', { name: 'Records' }).getByRole('listitem').count()).toBe(1);
  const kept = again.getByRole('region', { name: 'Marks and pins' });
  await expect.poll(() => kept.getByRole('listitem').count()).toBe(2);
  await again.keyboard.press('0');
  await again.waitForURL((now) => !now.searchParams.has('view'));
});

test('the keyboard alone reads the table, and its rows are the records with the state after each', async () => {
  const page = await openDebugger(hole);
  await page.keyboard.press('t');
  const table = page.getByRole('table', { name: 'Records with the state after each' });
  await table.waitFor();
  const row = table.locator('tr[aria-current="true"]');
  await expect
    .poll(() => row.locator('td').allTextContents())
    .toEqual(expect.arrayContaining(['resume', 'unsafe resume', '1030', '1075', '1043 to 1051', 'c2 1042']));
  await page.keyboard.press('j');
  await table.locator('tr[aria-current="true"]', { hasText: 'deliver' }).waitFor();
  await page.keyboard.press('t');
  await focusPlayhead(page);
  await page.keyboard.press('Home');
  await page.getByRole('heading', { name: /^State after record 1 / }).waitFor();
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: /^State after record 54 / }).waitFor();
});

test('many sessions share one clock, and looking at another one keeps the moment', async () => {
  const page = await openDebugger(many);
  await page.getByText(`1 of ${SESSIONS}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next session' }).click();
  await page.getByText(`2 of ${SESSIONS}`, { exact: true }).waitFor();
  await page.keyboard.press('r');
  await current(page, 'resume').waitFor();
  await page.waitForURL(/session=/);
  await page.getByRole('button', { name: `${SESSIONS} sessions on one clock` }).click({ position: { x: 200, y: 70 } });
  await page.getByText(`4 of ${SESSIONS}`, { exact: true }).waitFor();
});

test('what if nothing had been evicted: the verdict changes, side by side, and the retention curve says how much to keep', async () => {
  const page = await openDebugger(hole);
  const pane = page.getByRole('region', { name: 'What if' });
  const slider = pane.getByRole('slider', { name: 'Events kept' });
  await slider.focus();
  await page.keyboard.press('End');
  await pane.getByTestId('whatif-sum').getByText('1 of 1').waitFor();
  const changed = pane.getByRole('table', { name: 'Verdicts that change' }).locator('tbody td');
  await expect.poll(() => changed.allTextContents()).toEqual(['52', 'hole', 'ok']);
  await expect.poll(() => pane.getByRole('img').getAttribute('aria-label')).toContain('the knee is at 33 events and 100 %');
  await pane.filter({ hasText: '"buffer":{"events":33,"ttl_ms":32000}' }).waitFor();
});

test('what if the log had room for more bytes: what a reconnect needed is kept from so many bytes on', async () => {
  const page = await openDebugger(sized);
  const pane = page.getByRole('region', { name: 'What if' });
  const slider = pane.getByRole('slider', { name: 'Bytes kept' });
  await slider.focus();
  await page.keyboard.press('End');
  await pane.getByTestId('whatif-sum').getByText('1 of 1').waitFor();
  const changed = pane.getByRole('table', { name: 'Verdicts that change' }).locator('tbody td');
  await expect.poll(() => changed.allTextContents()).toEqual(['46', 'below_floor', 'ok']);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await pane.getByTestId('whatif-sum').getByText('0 of 1').waitFor();
});

test('what if for a server: sizing, changed verdicts that lead to their attempts, and what enforcement would have refused', async () => {
  const page = await open('/whatif?server=sample-s02');
  await page.getByTestId('backtest-sum').getByText('Of 1 attempt on sample-s02, enforcement would have refused 1').waitFor();
  await page.getByRole('region', { name: 'Retention' }).getByText('"buffer":{"events":33').waitFor();
  await page.getByRole('slider', { name: 'Events kept' }).focus();
  await page.keyboard.press('End');
  await page.getByTestId('whatif-sum').getByText('1 of 1').waitFor();
  await page.getByRole('table', { name: 'Verdicts that change' }).getByRole('link').click();
  await page.waitForURL(/\/attempts\/[0-9a-f-]{36}/);
});

test('the debugger of a stored session tells the same as that of the incident', async () => {
  const page = await openDebugger(`/sessions/${s02}/debug`);
  await current(page, 'resume').waitFor();
  await page.getByTestId('proof').filter({ hasText: '1043 to 1051 are missing after 1042' }).waitFor();
});

test('incidents are listed, opened, owned, commented, resolved and reopened', async () => {
  const page = await open('/incidents');
  await page.getByRole('link', { name: 'A hole in the log' }).waitFor();
  await page.getByRole('button', { name: /^resolved/ }).click();
  await page.getByText('No incident matches').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByRole('link', { name: 'A hole in the log' }).click();
  await page.waitForURL(/\/incidents\/[0-9a-f-]{36}/);
  await page.getByRole('button', { name: 'Owner' }).click();
  await page.getByRole('textbox', { name: 'Owner' }).fill('on call');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Owner' }).getByText('on call').waitFor();
  await page.getByRole('textbox', { name: 'Comment' }).fill('The ring was too small.');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.getByText('local: The ring was too small.').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('resolved, critical').waitFor();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('open, critical').waitFor();
});

test('a bundle comes back in through a file, and a cut one is refused with place and reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-bundle-'));
  try {
    const bundle = await (await fetch(new URL(`/api/v1${hole}/bundle`, site.app.url))).text();
    writeFileSync(join(folder, 'whole.json'), bundle);
    writeFileSync(join(folder, 'cut.json'), bundle.slice(0, -200));
    const page = await open('/incidents');
    await page.getByRole('button', { name: 'Import' }).click();
    const chooser = page.locator('input[type="file"]');
    await chooser.setInputFiles(join(folder, 'cut.json'));
    const refusal = page.getByRole('alert').filter({ hasText: 'nothing was imported' });
    await refusal.waitFor();
    await refusal.filter({ hasText: 'bundle_truncated' }).waitFor();
    await chooser.setInputFiles(join(folder, 'whole.json'));
    await page.waitForURL(/\/incidents\/[0-9a-f-]{36}/);
    await current(page, 'resume').waitFor();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('two histories are compared up to the first record in which they part', async () => {
  const page = await open(`/compare?left=${hole.split('/').at(-1)}&right=${restored.split('/').at(-1)}`);
  await page.getByTestId('divergence').filter({ hasText: DIVERGENCE }).waitFor();
  const same = await open(`/compare?left=${hole.split('/').at(-1)}&right=${hole.split('/').at(-1)}`);
  await same.getByText('54 steps are alike: neither history departs from the other.').waitFor();
});

test.each(['dark', 'light'] as const)('in the %s theme the debugger is free of serious axe findings', async (theme) => {
  for (const path of [hole, restored, many, `${hole}?marks=3&pins=52`]) {
    const page = await openDebugger(path, { colorScheme: theme });
    expect(await seriousFindings(page), path).toEqual([]);
  }
  for (const path of [
    '/incidents',
    '/whatif?server=sample-s02',
    `/compare?left=${hole.split('/').at(-1)}&right=${restored.split('/').at(-1)}`,
  ]) {
    const page = await open(path, { colorScheme: theme });
    await page.locator('main :is(table, [data-testid="divergence"])').first().waitFor();
    expect(await seriousFindings(page), path).toEqual([]);
  }
});

test('at 390 px it reads proof, consequences, small plot; a finger scrubs; nothing is wider than the screen', async () => {
  const page = await openDebugger(hole, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await playhead(page).waitFor();
  const top = async (name: string) => (await page.getByRole('region', { name, exact: true }).boundingBox())?.y ?? Number.NaN;
  const stage = await page.getByTestId('stage').boundingBox();
  if (stage === null) throw new Error('the stage has no box');
  expect(await top('Proof')).toBeLessThan(await top('Consequences'));
  expect(await top('Consequences')).toBeLessThan(stage.y);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByTestId('stage').scrollIntoViewIfNeeded();
  const box = await page.getByTestId('stage').boundingBox();
  if (box === null) throw new Error('the stage has no box');
  const client = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y: box.y + 80 }] });
  await touch('touchStart', box.x + 260);
  for (const x of [220, 160, 110, 66]) await touch('touchMove', box.x + x);
  await touch('touchEnd', 0);
  await page.getByRole('heading', { name: /^State after record 1 / }).waitFor();
});
