import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S02 } from '@/components/samples/s02';
import { unsafeResume } from '@/tests/e2e/unsafe-resume';
import { waitFor } from '@/tests/integration/wait-for';
import { openSse, type ScriptedUpstream, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { sendRecords, seriousFindings } from './screens';

const START = Date.UTC(2025, 11, 1, 2, 14);
const SERVER = 'regrouped-mcp';

let folder = '';
let app: AppProcess;
let browser: Browser;
let target: ScriptedUpstream;
let page: Page;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-incidents-'));
  target = await scriptedUpstream(withSession('target-token', ({ res }) => openSse(res).write('id: first\ndata: {}\n\n')));
  const config = join(folder, 'tidemark.json');
  writeFileSync(config, JSON.stringify({ replay: { targets: [{ name: 'faulty server', url: target.url }] } }));
  [app, browser] = await Promise.all([startApp({ env: { TIDEMARK_CONFIG: config } }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await disposeApp(app);
  await target?.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await page.context().close();
});

async function open(path: string, width = 1440, colorScheme: 'dark' | 'light' = 'dark'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  page = await context.newPage();
  await arrive(page, new URL(path, app.url).href);
  return page;
}

const history = () => JSON.stringify({ title: 'A hole in the log', records: SAMPLE_S02.records(START, newId(), newId) });

async function imported(): Promise<string> {
  const response = await fetch(`${app.url}/api/v1/incidents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: history(),
  });
  return `/incidents/${((await response.json()) as { id: string }).id}`;
}

interface Item {
  readonly id: string;
  readonly records: number;
  readonly merged_into: string | null;
}
const incidentsOf = async (server: string): Promise<Item[]> =>
  ((await (await fetch(`${app.url}/api/v1/incidents?server=${server}`)).json()) as { items: Item[] }).items;

test('a session is split off and merged back', async () => {
  await sendRecords(
    app,
    ['a', 'b', 'c'].map((session) => unsafeResume(SERVER, session, Date.now())),
  );
  const [first] = await waitFor(
    () => incidentsOf(SERVER),
    ([item]) => item?.records === 3,
  );
  await open(`/incidents/${first?.id}`);
  const sessions = () => page.getByRole('region', { name: 'Sessions of this incident' });
  await sessions().getByRole('checkbox').first().check();
  await sessions().getByRole('button', { name: 'Split off 1 session' }).click();
  await page.waitForURL((url) => !url.pathname.includes(first?.id ?? ''));
  await sessions().getByRole('heading', { name: 'Sessions 1' }).waitFor();
  const part = page.url().split('/').at(-1)?.split('?')[0] ?? '';
  await sessions()
    .getByLabel('Merge into')
    .selectOption(first?.id ?? '');
  await page.waitForURL((url) => url.pathname.includes(first?.id ?? 'nothing'));
  await sessions().getByRole('heading', { name: 'Sessions 3' }).waitFor();
  expect((await incidentsOf(SERVER)).find(({ id }) => id === part)?.merged_into).toBe(first?.id);
});

const drop = (text: string) =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], 'history.json', { type: 'application/json' }));
    document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }`);

test('a file that is dropped anywhere on the list is imported, and a cut one is refused with its place', async () => {
  await open('/incidents');
  await page.getByRole('button', { name: 'Import' }).waitFor();
  const before = (await incidentsOf('sample-s02')).length;
  await drop(history().slice(0, -40));
  const refusal = page.getByRole('alert').filter({ hasText: 'nothing was imported' });
  await refusal.waitFor();
  await refusal.filter({ hasText: 'bundle_truncated' }).waitFor();
  expect((await incidentsOf('sample-s02')).length).toBe(before);
  await drop(history());
  await page.waitForURL(/\/incidents\/[0-9a-f-]{36}/);
  await page.locator('[data-type="resume"][aria-current="true"]').waitFor();
});

test('an incident is done again against an allowed target, after a yes; recorded and actual verdicts stand side by side', async () => {
  await open(await imported());
  await page.getByRole('button', { name: 'Replay' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay against a live server' });
  await dialog.getByText(target.url, { exact: true }).waitFor();
  await dialog.getByLabel('Pace', { exact: true }).selectOption('1000');
  await dialog.getByLabel('Requests at most').selectOption('50');
  const start = dialog.getByRole('button', { name: 'Start' });
  expect(await start.isDisabled()).toBe(true);
  expect(target.seen).toEqual([]);
  await dialog.getByRole('checkbox').check();
  await start.click();
  await dialog.getByText('1 resume: 1 ended as recorded, 1 resume went against the rules.').waitFor();
  const cells = dialog.getByRole('table', { name: 'Resumes as recorded and now' }).locator('tbody td');
  await expect
    .poll(() => cells.allTextContents())
    .toEqual(['52', 'E_1042', 'resumed, 200', 'refuse, hole', expect.stringContaining('resumed, 200')]);
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText(/did it again \(target faulty server, resumes 1, as recorded 1, against rules 1, is whole true\)/).waitFor();
  expect(target.seen.map(({ method }) => method)).toContain('DELETE');
});

test.each(['dark', 'light'] as const)('at 800 px list and state are turned to below the picture, %s', async (theme) => {
  await open(await imported(), 800, theme);
  await page.locator('[data-judged="true"]').waitFor();
  const [proof, list] = [page.getByRole('region', { name: 'Proof' }), page.getByRole('list', { name: 'Records' })];
  await expect.poll(async () => [await proof.isVisible(), await list.isVisible()]).toEqual([true, false]);
  await page.getByRole('button', { name: 'What happened' }).click();
  await expect.poll(async () => [await proof.isVisible(), await list.isVisible()]).toEqual([false, true]);
  await page.getByRole('button', { name: 'State and proof' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('type:evict');
  // The list follows what is typed a moment later.
  await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
  expect(await list.getByRole('listitem').count()).toBe(1);
  expect(await seriousFindings(page)).toEqual([]);
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(800);
});
