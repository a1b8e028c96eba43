import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S02 } from '@/components/samples/s02';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { waitFor } from '@/tests/integration/wait-for';
import type { AppProcess } from './app-process';
import { seedIncidents, sendRecords } from './screens';
import { siteOfFile } from './site';
import { unsafeResume } from './unsafe-resume';

/** An item of a list, as far as filters look at it. */
interface Item {
  readonly id?: string;
  readonly ref?: string;
  readonly server: string;
  readonly session?: string | null;
  readonly client?: { readonly name: string };
  readonly protocol_version?: string;
  readonly mark?: string;
  readonly assessment?: string;
  readonly decision?: { readonly reason: string; readonly gap: { readonly count: number } | null } | null;
  readonly cursor?: number;
  readonly code?: string;
  readonly severity?: string;
  readonly blame?: string;
  readonly unsafe?: number;
  readonly state?: string;
}

type List = 'attempts' | 'findings' | 'sessions' | 'incidents';

const site = siteOfFile(async (app) => {
  await sendRecords(app, [...seedIncidents(Date.now()), ...attemptsOfAllKinds(), ...callsWithoutRoute()]);
  await importResolved(app);
  const needed = ['gap', 'cross_generation_replay', 'route_not_found'];
  await waitFor(
    () => itemsOf(app, 'findings'),
    (found) => needed.every((code) => found.some((finding) => finding.code === code)),
  );
  await waitFor(
    () => itemsOf(app, 'incidents'),
    (found) => ['sample-s01', 'sample-s02'].every((server) => found.some((one) => one.server === server && one.state === 'open')),
  );
});

/** One that was resumed, one refused, one without need, one unsafe, and one that cannot be judged. */
function attemptsOfAllKinds(): TelemetryRecord[] {
  const unsafe = unsafeResume('lossy-mcp', 'filters-unsafe', Date.now() - 60_000);
  const of = (server: string, fields: object) => ({
    ...unsafe,
    id: newId(),
    conn: newId(),
    server,
    session: `filters-${server}`,
    ...fields,
  });
  return [
    unsafe,
    of('calm-mcp', { last_event_id: '15', cursor: 15, protocol_version: '2025-06-18', client: { name: 'inspector', version: '1.0' } }),
    of('strict-mcp', { verdict: 'refused', status: 409, reason: 'below_floor' }),
    of('shy-mcp', { last_event_id: '15', cursor: 15, verdict: 'refused', status: 409 }),
    of('terse-mcp', { floor: undefined, head: undefined }),
  ] as TelemetryRecord[];
}

/** What the path between client and server is blamed for. */
function callsWithoutRoute(): TelemetryRecord[] {
  const at = new Date(Date.now() - 60_000).toISOString();
  const common = { id: newId(), at, server: 'lost-mcp', session: 'filters-lost' };
  return [{ ...common, type: 'request', rpc: { method: 'initialize', id: 1 }, status: 404 }] as TelemetryRecord[];
}

/** An incident from elsewhere that somebody has called a warning and resolved. */
async function importResolved(app: AppProcess): Promise<void> {
  const send = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${app.url}/api/v1/incidents${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: string };
  };
  const records = SAMPLE_S02.records(Date.UTC(2025, 11, 1), newId(), newId);
  const { id } = await send('POST', '/import', { title: 'A hole in the log', records });
  await send('PATCH', `/${id}`, { severity: 'warning', state: 'resolved' });
}

async function itemsOf(app: AppProcess, list: List): Promise<readonly Item[]> {
  return ((await (await fetch(`${app.url}/api/v1/${list}?limit=200`)).json()) as { items: Item[] }).items;
}

const idOf = ({ id, ref }: Item): string => id ?? ref ?? '';
const rows = (page: Page) => page.locator('tr[data-id], tr[data-incident]');
const query = (page: Page) => page.getByRole('searchbox', { name: 'Filter' });

/** How many of the shown rows fit, and how many do not, by what the API says of each without any filter. */
async function fitting(page: Page, list: List, fits: (item: Item) => boolean): Promise<{ fit: number; others: number }> {
  const items = new Map((await itemsOf(site.app, list)).map((item) => [idOf(item), item]));
  const shown = await rows(page).evaluateAll((all) =>
    all.map((row) => row.getAttribute('data-id') ?? row.getAttribute('data-incident') ?? ''),
  );
  const fit = shown.map((id) => items.get(id)).filter((item) => item !== undefined && fits(item)).length;
  return { fit, others: shown.length - fit };
}

/** Waits until rows are shown and all of them fit. */
const onlyFitting = (page: Page, list: List, fits: (item: Item) => boolean) =>
  expect
    .poll(async () => {
      const { fit, others } = await fitting(page, list, fits);
      return fit > 0 && others === 0;
    })
    .toBe(true);

/** Waits until rows are shown that do not fit. */
const othersToo = (page: Page, list: List, fits: (item: Item) => boolean) =>
  expect.poll(async () => (await fitting(page, list, fits)).others).toBeGreaterThan(0);

const gapOf = ({ decision }: Item): number | null => decision?.gap?.count ?? null;

type Row = readonly [list: List, asked: string, text: string, fits: (item: Item) => boolean];

const FIELDS: readonly Row[] = [
  ['attempts', 'server=calm-mcp,shy-mcp', 'server:calm-mcp,shy-mcp', ({ server }) => server === 'calm-mcp' || server === 'shy-mcp'],
  ['attempts', 'server_not=lossy-mcp', '-server:lossy-mcp', ({ server }) => server !== 'lossy-mcp'],
  ['attempts', 'mark=refused', 'mark:refused', ({ mark }) => mark === 'refused'],
  [
    'attempts',
    'mark_not=unsafe_resume,refused',
    '-mark:unsafe_resume,refused',
    ({ mark }) => mark !== 'unsafe_resume' && mark !== 'refused',
  ],
  ['attempts', 'assessment=over_refusal', 'assessment:over_refusal', ({ assessment }) => assessment === 'over_refusal'],
  ['attempts', 'assessment_not=correct', '-assessment:correct', ({ assessment }) => assessment !== 'correct'],
  ['attempts', 'reason=hole', 'reason:hole', ({ decision }) => decision?.reason === 'hole'],
  ['attempts', 'reason_not=below_floor', '-reason:below_floor', ({ decision }) => decision?.reason !== 'below_floor'],
  ['attempts', 'client=inspector', 'client:inspector', ({ client }) => client?.name === 'inspector'],
  ['attempts', 'protocol_version=2025-06-18', 'protocol_version:2025-06-18', (item) => item.protocol_version === '2025-06-18'],
  ['attempts', 'gap=4..', 'gap>3', (item) => (gapOf(item) ?? 0) > 3],
  ['attempts', 'gap=3..3', 'gap:3', (item) => gapOf(item) === 3],
  ['attempts', 'q=terse', 'terse', ({ server }) => server === 'terse-mcp'],
  ['findings', 'code=gap', 'code:gap', ({ code }) => code === 'gap'],
  ['findings', 'code_not=gap', '-code:gap', ({ code }) => code !== 'gap'],
  ['findings', 'severity=critical', 'severity:critical', ({ severity }) => severity === 'critical'],
  ['findings', 'severity_not=critical', '-severity:critical', ({ severity }) => severity !== 'critical'],
  ['findings', 'blame=path', 'blame:path', ({ blame }) => blame === 'path'],
  ['findings', 'blame_not=path', '-blame:path', ({ blame }) => blame !== 'path'],
  ['findings', 'server=sample-s01', 'server:sample-s01', ({ server }) => server === 'sample-s01'],
  ['findings', 'server_not=sample-s01', '-server:sample-s01', ({ server }) => server !== 'sample-s01'],
  ['sessions', 'server=sample-s02', 'server:sample-s02', ({ server }) => server === 'sample-s02'],
  ['sessions', 'server_not=sample-s02', '-server:sample-s02', ({ server }) => server !== 'sample-s02'],
  ['sessions', 'unsafe=true', 'unsafe:true', ({ unsafe }) => (unsafe ?? 0) > 0],
  ['sessions', 'unsafe=false', 'unsafe:false', ({ unsafe }) => unsafe === 0],
];

test.each(FIELDS)('in %s, %s is shown as %s beside the rows that fit, is cleared by a press, and comes back', roundTrip);

test.each(['attempts', 'findings'] as const)(
  'in %s, a session is shown as a filter beside its rows, is cleared by a press, and comes back',
  async (list) => {
    const of = (await itemsOf(site.app, 'attempts')).find(({ server }) => server === 'sample-s02');
    await roundTrip(list, `session=${of?.session}`, `session:${of?.session}`, ({ session }) => session === of?.session);
  },
);

async function roundTrip(...[list, asked, text, fits]: Row): Promise<void> {
  const name = asked.split('=', 1)[0] ?? '';
  const page = await site.open(`/${list}?range=1h&${asked}`);
  await onlyFitting(page, list, fits);
  await expect.poll(() => query(page).inputValue()).toBe(text);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has(name));
  await expect.poll(() => query(page).inputValue()).toBe('');
  await othersToo(page, list, fits);
  await page.goBack();
  await page.waitForURL((url) => url.searchParams.get(name) === asked.slice(name.length + 1));
  await expect.poll(() => query(page).inputValue()).toBe(text);
  await onlyFitting(page, list, fits);
}

test.each([
  ['state=resolved', 'State', /^resolved/, 'All', ({ state }: Item) => state === 'resolved'],
  ['severity=warning', 'Severity', /^warning/, /^warning/, ({ severity }: Item) => severity === 'warning'],
  ['server=sample-s01', 'Server', 'sample-s01', 'sample-s01', ({ server }: Item) => server === 'sample-s01'],
] as const)(
  'in incidents, %s is shown as pressed beside the rows that fit, is let go by a press, and comes back',
  async (asked, group, pressed, letGo, fits) => {
    const [name = '', value] = asked.split('=');
    const page = await site.open(`/incidents?${asked}`);
    const choices = page.getByRole('group', { name: group });
    const chosen = choices.getByRole('button', { name: pressed, pressed: true });
    await chosen.waitFor();
    await onlyFitting(page, 'incidents', fits);
    await choices.getByRole('button', { name: letGo }).click();
    await page.waitForURL((url) => !url.searchParams.has(name));
    await chosen.waitFor({ state: 'detached' });
    await othersToo(page, 'incidents', fits);
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get(name) === value);
    await chosen.waitFor();
    await onlyFitting(page, 'incidents', fits);
  },
);
