import { beforeAll, expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { waitFor } from '@/tests/integration/wait-for';
import { ordinaryTraffic, sendRecords, seriousFindings } from './screens';
import { siteOfFile } from './site';
import { unsafeResume } from './unsafe-resume';

const site = siteOfFile();
const MINUTE = 60_000;
const SILENT = 'ci-mcp';

const openIncidents = async (): Promise<{ id: string; server: string }[]> =>
  ((await (await fetch(`${site.app.url}/api/v1/incidents?state=open`)).json()) as { items: { id: string; server: string }[] }).items;

type Records = ReturnType<typeof ordinaryTraffic>;

/** Events of a call that went out without their ids: a loss without any resume attempt. */
function unmarkedEvents(at: number): Records {
  const common = { server: 'unmarked-mcp', session: 'unmarked' };
  const stream = { ...common, stream: 'r' };
  const records = [
    { ...common, type: 'session', event: 'created' },
    { ...stream, type: 'request', conn: 'p1', rpc: { method: 'tools/call', id: 1 }, status: 200, content_type: 'text/event-stream' },
    { ...stream, type: 'emit', event_ids: ['41', '42', '43'] },
    { ...stream, type: 'deliver', conn: 'p1', event_ids: ['41', '42', '43'], without_id: true },
    { ...stream, type: 'close', conn: 'p1', by: 'network' },
  ];
  return records.map((record, place) => ({ ...record, id: newId(), at: new Date(at + place * 1_000).toISOString() })) as Records;
}

beforeAll(async () => {
  const now = Date.now();
  // Few enough to be no reconnect storm, which would be an incident of its own.
  const well = ordinaryTraffic(now).slice(0, 9);
  const long = well
    .slice(0, 1)
    .map((record) => ({ ...record, id: newId(), at: new Date(now - 300 * MINUTE).toISOString(), server: SILENT }) as Records[number]);
  await sendRecords(site.app, [...well, ...long, ...unmarkedEvents(now - 2 * MINUTE)]);
});

test('a loss that only the records prove is told as one, and what is silent is named', async () => {
  const page = await site.open('/?range=1h');
  const sentence = page.getByTestId('fleet-sentence');
  await sentence.filter({ hasText: /^1 finding of loss since .+, without an unsafe resume\.$/ }).waitFor();
  await page.getByText(/2 of 3 servers seen; ci-mcp silent since/).waitFor();
  await page.getByRole('link', { name: '1 finding of loss' }).click();
  await page.waitForURL(/\/findings\?code=gap,lost_response.*&range=1h/);
  await page
    .getByText(/ids_not_on_wire/)
    .first()
    .waitFor();
});

test('an open incident is where the overview leads first, and the navigation counts it', async () => {
  await sendRecords(site.app, [
    unsafeResume('payments-mcp', 's', Date.now() - MINUTE),
    unsafeResume('search-mcp', 't', Date.now() - MINUTE),
  ]);
  const open = await waitFor(openIncidents, (items) => items.length >= 2);
  const page = await site.open('/?range=1h');
  const nav = page.getByRole('navigation', { name: 'Main' });
  // The ordinary traffic is itself told as a storm once its five minutes are counted: there may be a third.
  await nav.getByRole('link', { name: /^Incidents [23] open$/ }).waitFor();
  await page.getByText(/^Open incident: .+ loses events in silence\. Next: Refuse a cursor/).waitFor();
  const chart = page.getByRole('region', { name: 'Resume attempts over time', exact: true });
  await chart.getByRole('button', { name: /^[23] incidents$/ }).click();
  const listed = page.getByRole('list', { name: 'What happened here' }).getByRole('link');
  await expect.poll(() => listed.count()).toBeGreaterThanOrEqual(2);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await chart.getByRole('button', { name: 'Table' }).click();
  await expect.poll(() => chart.getByRole('link', { name: /loses events in silence/ }).count()).toBe(2);
  await page.getByRole('link', { name: 'Open the incident' }).click();
  await page.waitForURL((url) => open.some(({ id }) => url.pathname === `/incidents/${id}`));
});

test('a record that was rejected is missing: the overview says so, and no count of its server is said to be whole', async () => {
  const [record] = ordinaryTraffic(Date.now());
  const server = 'rejecting-mcp';
  const bad = { ...record, server, id: newId(), cursor: -1 };
  const reply = await fetch(`${site.app.url}/api/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ ...record, server, id: newId() }, bad]),
  });
  expect(await reply.json()).toMatchObject({ accepted: 1, rejected: [{ index: 1, path: 'cursor' }] });
  const page = await site.open('/?range=1h');
  await page.getByText(/1 record was rejected by the intake, .+ every count is at least what it says/).waitFor();
  const numbers = page.getByRole('region', { name: 'Headline numbers', exact: true });
  await expect.poll(() => numbers.getByText('at least', { exact: true }).count()).toBe(4);
  await page.goto(new URL('/servers?range=1h', site.app.url).href);
  const row = page.getByRole('row').filter({ hasText: server });
  await row.getByText('No loss seen, but telemetry is missing').waitFor();
  await row.getByText('≥ 0').first().waitFor();
  expect(await page.getByRole('row').filter({ hasText: 'unmarked-mcp' }).getByText('≥').count()).toBe(0);
  await page.goto(new URL(`/servers/${server}?range=1h`, site.app.url).href);
  await page.getByRole('region', { name: 'What it does' }).getByText('≥ 1').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});
