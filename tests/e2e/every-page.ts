import type { BrowserContext, Page } from 'playwright-core';
import { waitFor } from '@/tests/integration/wait-for';
import type { AppProcess } from './app-process';

/** A page of the app under an address at which it has something to show. */
export interface Place {
  /** The folder of its `page.tsx` under `app`. */
  readonly route: string;
  readonly path: string;
  /**
   * What it cannot do without once it is loaded: records in the database, answers of the server that come without
   * one, or nothing, as a page of the documentation.
   */
  readonly needs: 'database' | 'server' | 'nothing';
  /** What it shows was asked for once and is shown on: that the server is gone it learns from its live connection. */
  readonly asksOnce?: true;
}

interface Item {
  readonly id: string;
  readonly session: string;
}

/** Every page of the app for the data of `seedIncidents`; waits until its findings and incidents are known. */
export async function everyPage(app: AppProcess): Promise<Place[]> {
  const first = async (path: string): Promise<Item> => {
    const ask = async () => ((await (await fetch(`${app.url}/api/v1/${path}`)).json()) as { items?: Item[] }).items?.[0];
    const item = await waitFor(ask, (found) => found !== undefined);
    if (item === undefined) throw new Error(`nothing at ${path}`);
    return item;
  };
  const attempt = await first('attempts?server=sample-s02');
  const other = await first('attempts?server=sample-s01');
  const finding = await first('findings?server=sample-s02&code=gap');
  const incident = await first('incidents?server=sample-s02');
  const shared = await sharedPath(app, incident.id);
  const database = { needs: 'database' } as const;
  return [
    { route: '', path: '/?range=1h', ...database },
    { route: 'alerts', path: '/alerts', ...database },
    { route: 'alerts', path: '/alerts?tab=rules', ...database },
    { route: 'alerts', path: '/alerts?tab=channels', ...database },
    { route: 'alerts', path: '/alerts?tab=deliveries', ...database },
    { route: 'alerts', path: '/alerts?tab=silences', ...database },
    { route: 'alerts/new', path: '/alerts/new', ...database },
    { route: 'alerts/rules/[name]', path: '/alerts/rules/unsafe-resume', ...database },
    { route: 'attempts', path: '/attempts?range=1h', ...database },
    { route: 'attempts/[id]', path: `/attempts/${attempt.id}`, ...database },
    { route: 'compare', path: `/compare?left=${attempt.session}&right=${other.session}`, ...database, asksOnce: true },
    { route: 'docs/findings', path: '/docs/findings', needs: 'nothing', asksOnce: true },
    { route: 'docs/findings/[code]', path: '/docs/findings/gap', needs: 'nothing', asksOnce: true },
    { route: 'findings', path: '/findings?range=1h', ...database },
    { route: 'findings/[id]', path: `/findings/${finding.id}`, ...database },
    { route: 'incidents', path: '/incidents', ...database },
    { route: 'incidents/[id]', path: `/incidents/${incident.id}`, ...database },
    // Without a token behind its `#` the link is known to lead nowhere: nothing is asked.
    { route: 'join', path: '/join', needs: 'nothing' },
    { route: 'proxy-routes', path: '/proxy-routes', needs: 'server' },
    { route: 'servers', path: '/servers?range=1h', ...database },
    { route: 'servers/[name]', path: '/servers/sample-s02?range=1h', ...database },
    { route: 'sessions', path: '/sessions?range=1h', ...database },
    { route: 'sessions/[ref]', path: `/sessions/${attempt.session}`, ...database },
    { route: 'sessions/[ref]/debug', path: `/sessions/${attempt.session}/debug`, ...database },
    { route: 'settings', path: '/settings', needs: 'server', asksOnce: true },
    { route: 'settings', path: '/settings?tab=keys', ...database },
    { route: 'settings', path: '/settings?tab=projects', ...database, asksOnce: true },
    { route: 'settings', path: '/settings?tab=retention', ...database },
    { route: 'settings', path: '/settings?tab=changes', ...database },
    { route: 'shared/[token]', path: shared, ...database },
    { route: 'sign-in', path: '/sign-in', needs: 'server' },
    { route: 'tail', path: '/tail', ...database },
    { route: 'whatif', path: '/whatif?range=1h&server=sample-s02', ...database },
  ];
}

/** A link that shows the incident to anybody. */
async function sharedPath(app: AppProcess, incident: string): Promise<string> {
  const response = await fetch(`${app.url}/api/v1/incidents/${incident}/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { path: string }).path;
}

/** Waits until the page has content and nothing of it is a stand-in any more. */
export async function whole(page: Page): Promise<void> {
  await page.waitForFunction(`(() => {
    const main = document.querySelector('main');
    return main !== null && main.innerText.trim() !== '' && main.querySelector('[class*=bone]') === null;
  })()`);
}

/** Looks at places in so many tabs of a context at a time; fails with everything that went wrong, each with its path. */
export async function lookAtAll(
  context: BrowserContext,
  places: readonly Place[],
  tabs: number,
  look: (page: Page, place: Place) => Promise<void>,
): Promise<void> {
  const left = [...places];
  const wrong: string[] = [];
  const tab = async () => {
    const page = await context.newPage();
    for (let place = left.shift(); place !== undefined; place = left.shift()) {
      const { path } = place;
      await look(page, place).catch((cause: unknown) => wrong.push(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`));
    }
    await page.close();
  };
  await Promise.all(Array.from({ length: tabs }, tab));
  if (wrong.length > 0) throw new Error(wrong.join('\n\n'));
}
