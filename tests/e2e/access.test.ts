import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';
import { chord } from './chord';
import { seedIncidents, seriousFindings } from './screens';

const PASSWORD = 'correct horse battery staple';
const TABS = ['you', 'members', 'keys', 'projects', 'retention', 'changes'];
let app: AppProcess;
let browser: Browser;
/** The first administrator's browser. */
let admin: Page;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp({ env: { TIDEMARK_AUTH: 'on' } }), openBrowser()]);
  admin = await visitor();
  await arrive(admin, /(http:\S+\/join#\S+)/.exec(app.output())?.[1] ?? 'about:blank');
  await admin.getByRole('heading', { name: 'Become the first administrator' }).waitFor();
  await join(admin, 'Ada Admin', 'ada@example.org');
});
afterAll(async () => {
  await browser?.close();
  if (app !== undefined) await disposeApp(app);
});

async function visitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  return context.newPage();
}

async function join(page: Page, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  if (await page.getByLabel('E-mail address').isEditable()) await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join and sign in' }).click();
  await page.waitForURL(`${app.url}/`);
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

/** Somebody new with a role, invited on the page by the administrator. */
async function invited(role: string, name: string, options?: Parameters<typeof visitor>[0]): Promise<Page> {
  await arrive(admin, `${app.url}/settings?tab=members`);
  await admin.getByRole('button', { name: 'Invite somebody' }).click();
  await admin.getByLabel('Role', { exact: true }).selectOption(role);
  await admin.getByRole('button', { name: 'Make the invitation' }).click();
  const link = await admin.getByTestId('shown-once').textContent();
  const page = await visitor(options);
  await arrive(page, link ?? '');
  await join(page, name, `${name.toLowerCase()}@example.org`);
  return page;
}

const isSidewaysFree = (page: Page): Promise<boolean> => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

describe('without a sign-in', () => {
  test('a page leads to the sign-in and, after it, back to exactly what was asked for', async () => {
    const page = await visitor();
    await arrive(page, `${app.url}/attempts?q=reason%3Ahole`);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await signIn(page, 'ada@example.org');
    await page.waitForURL(`${app.url}/attempts?q=reason%3Ahole`);
    await page.context().close();
  });

  test.each(['//evil.example/', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
    'and asked to lead on to %s it leads to the overview',
    async (to) => {
      const page = await visitor();
      await arrive(page, `${app.url}/sign-in?to=${encodeURIComponent(to)}`);
      await signIn(page, 'ada@example.org');
      await page.waitForURL(`${app.url}/`);
      await page.context().close();
    },
  );

  test('a wrong password is said in words, and what is typed stays', async () => {
    const page = await visitor();
    await arrive(page, `${app.url}/sign-in`);
    await page.getByLabel('E-mail address').fill('ada@example.org');
    await page.getByLabel('Password').fill('something else');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('ada@example.org');
    await page.context().close();
  });

  test('the entry pages ask for nothing else, are not indexed, send no referrer and fit in no frame', async () => {
    const page = await visitor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    page.on('websocket', () => asked.push('a WebSocket'));
    const response = await page.goto(`${app.url}/sign-in`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(asked.filter((path) => path.startsWith('/api/') || path === 'a WebSocket')).toEqual(['/api/v1/access']);
    expect(response?.headers()).toMatchObject({
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "frame-ancestors 'self'",
    });
    await arrive(page, `${app.url}/join#tdi_${'A'.repeat(43)}`);
    await page.getByRole('heading', { name: 'This link leads nowhere' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });
});

interface KeyItem {
  readonly prefix: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

describe('the settings', () => {
  test('are reached by keys alone: a key is made, shown once, rotated and revoked, and every change is in the log', async () => {
    const page = admin;
    await arrive(page, `${app.url}/`);
    // Known only once the page's own code runs, which also listens for keys.
    await page.getByRole('link', { name: 'Signed in as Ada Admin' }).waitFor();
    await chord(page, 'g', 'c');
    await page.waitForURL(/\/settings/);
    const you = page.getByRole('tab', { name: 'You' });
    await you.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: 'Keys' }).getByText('No key holds').waitFor();
    await page.getByRole('button', { name: 'New key' }).first().press('Enter');
    await page.getByLabel('Label').focus();
    await page.keyboard.type('search servers');
    await page.keyboard.press('Enter');
    const key = (await page.getByTestId('shown-once').textContent()) ?? '';
    expect(key).toMatch(/^tdm_/);
    const send = (text: string) =>
      fetch(`${app.url}/api/v1/telemetry`, {
        method: 'POST',
        headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'boot', node: 'n1', generation: 1 }),
      }).then(({ status }) => status);
    expect(await send(key)).toBe(202);
    const shown = page.getByTestId('shown-once');
    /** Rotates the key that is not replaced yet; answers with the one that is shown next. */
    const rotate = async (passesOn: string, before: string): Promise<string> => {
      await page.getByRole('button', { name: 'Rotate search servers' }).press('Enter');
      const dialog = page.getByRole('alertdialog', { name: 'Rotate search servers?' });
      await dialog.getByLabel('The old key passes on').selectOption(passesOn);
      await dialog.getByRole('button', { name: 'Rotate' }).press('Enter');
      // The list may be read again before the new key is shown in the place of the old one.
      await expect.poll(() => shown.textContent()).not.toBe(before);
      return (await shown.textContent()) ?? '';
    };
    const next = await rotate('for an hour', key);
    await page.getByRole('button', { name: 'Revoke search servers' }).nth(1).waitFor();
    expect(await Promise.all([send(key), send(next)])).toEqual([202, 202]);
    const { items } = (await (await page.request.get(`${app.url}/api/v1/keys`)).json()) as { items: KeyItem[] };
    const old = items.find(({ prefix }) => key.startsWith(prefix));
    const made = items.find(({ prefix }) => next.startsWith(prefix));
    expect(Math.round((Date.parse(old?.expires_at ?? '') - Date.parse(made?.created_at ?? '')) / 60_000)).toBe(60);
    const last = await rotate('not at all', next);
    expect(await Promise.all([send(key), send(next), send(last)])).toEqual([202, 403, 202]);
    // The one that no longer passes has left the list.
    await page.waitForFunction(`document.querySelectorAll('button[aria-label="Revoke search servers"]').length === 2`);
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'Revoke search servers' }).first().press('Enter');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).press('Enter');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.waitForFunction(`document.querySelectorAll('button[aria-label="Revoke search servers"]').length === ${left}`);
    }
    expect(await Promise.all([send(key), send(last)])).toEqual([403, 403]);
    await page.getByRole('tab', { name: 'Changes' }).click();
    const log = page.getByRole('region', { name: 'Changes' });
    await log.getByText('key.revoked').first().waitFor();
    expect(await log.getByRole('listitem').filter({ hasText: 'ada@example.org' }).filter({ hasText: 'key.created' }).count()).toBe(1);
  });

  test('let an administrator invite, promote and remove; the last administrator stays', async () => {
    const page = await invited('viewer', 'Vera');
    await arrive(page, `${app.url}/settings?tab=keys`);
    await page.getByText('Keys are for administrators').waitFor();
    await admin.reload();
    await admin.getByLabel('Role of Vera').selectOption('operator');
    // The choice shows what is stored: it changes once the server has answered.
    await expect.poll(() => admin.getByLabel('Role of Vera').inputValue()).toBe('operator');
    await arrive(page, `${app.url}/settings`);
    await page.getByRole('definition').filter({ hasText: 'operator' }).waitFor();
    await admin.getByRole('button', { name: 'Remove Ada Admin' }).click();
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await admin.getByText('nobody else could change members any more').waitFor();
    await admin.getByRole('button', { name: 'Remove Vera' }).click();
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await admin.getByText('1 member', { exact: true }).waitFor();
    // Asked beside the page, which may be on its way to the sign-in by itself.
    const asked = await page.request.get(`${app.url}/attempts`);
    expect(new URL(asked.url()).pathname).toBe('/sign-in');
    await page.context().close();
  });

  test('count what a shorter retention would remove before it is chosen', async () => {
    await arrive(admin, `${app.url}/settings?tab=retention`);
    await admin.getByLabel('Days of records').fill('90');
    await admin.getByLabel('Days of rollups').fill('365');
    await admin.getByRole('button', { name: 'Count what would go' }).click();
    await admin.getByRole('status').filter({ hasText: 'Nothing would go now.' }).waitFor();
    await admin.getByRole('button', { name: 'Keep them so long' }).click();
    await admin
      .getByRole('alertdialog', { name: 'Keep records 90 days and rollups 365 days?' })
      .getByRole('button', { name: 'Keep them so long' })
      .click();
    await admin.getByRole('definition').filter({ hasText: '90 days' }).waitFor();
    await arrive(admin, `${app.url}/settings?tab=changes&about=retention`);
    await admin.getByText('records days 400 → 90').waitFor();
  });
});

test('signing out here leads to the sign-in, and the page of another place follows by itself', async () => {
  const page = await invited('operator', 'Otto');
  const elsewhere = await visitor();
  await arrive(elsewhere, `${app.url}/sign-in?to=/servers`);
  await signIn(elsewhere, 'otto@example.org');
  await elsewhere.waitForURL(`${app.url}/servers`);
  await page.getByRole('link', { name: 'Signed in as Otto' }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  // Whichever is first, the answer to the sign-out or a read that is refused.
  await page.waitForURL(/\/sign-in(?:\?|$)/);
  // Its live feed asks again who it is only now and then.
  await elsewhere.waitForURL(/\/sign-in\?to=/);
  await Promise.all([page.context().close(), elsewhere.context().close()]);
});

test.each(['viewer', 'operator', 'admin'])('every page opens for the role %s without a refusal on it', async (role) => {
  const page = await invited(role, `Page-${role}`);
  for (const path of [
    '/',
    '/incidents',
    '/attempts',
    '/findings',
    '/sessions',
    '/servers',
    '/whatif',
    '/proxy-routes',
    '/alerts',
    '/settings',
  ]) {
    const refused: string[] = [];
    const note = (response: { status: () => number; url: () => string }) => {
      if (response.status() === 401 || response.status() === 403) refused.push(response.url());
    };
    page.on('response', note);
    await page.goto(`${app.url}${path}`, { waitUntil: 'networkidle' });
    page.off('response', note);
    expect(refused, path).toEqual([]);
    expect(new URL(page.url()).pathname).toBe(path);
  }
  await page.context().close();
});

test('an incident is shared by a link that opens it, read-only, for somebody who cannot sign in, until it is revoked', async () => {
  const page = await invited('operator', 'Sharon');
  const id = await page.evaluate(importIncident, seedIncidents(Date.now()).slice(0, 200));
  await arrive(page, `${app.url}/incidents/${id}`);
  await page.getByRole('button', { name: 'Share' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share this incident' });
  await dialog.getByRole('button', { name: 'Make a link' }).press('Enter');
  const link = (await dialog.getByTestId('shown-once').textContent()) ?? '';
  await dialog.getByRole('listitem').getByText('by sharon@example.org').waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const stranger = await visitor({ viewport });
    const asked: string[] = [];
    stranger.on('request', (request) => asked.push(new URL(request.url()).pathname));
    stranger.on('websocket', () => asked.push('/api/a WebSocket'));
    const response = await stranger.goto(link, { waitUntil: 'networkidle' });
    expect(response?.headers()).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' });
    await stranger.getByRole('heading', { name: 'a night to remember' }).waitFor();
    await stranger.getByTestId('debugger').waitFor();
    expect(asked.filter((path) => path.startsWith('/api/') && !path.startsWith('/api/v1/shared/'))).toEqual([]);
    await expect.poll(() => stranger.getByRole('link').allTextContents()).toEqual(['Report']);
    expect(await seriousFindings(stranger)).toEqual([]);
    await expect.poll(() => isSidewaysFree(stranger)).toBe(true);
    await stranger.context().close();
  }

  await dialog.getByRole('button', { name: 'Revoke' }).press('Enter');
  await dialog.getByText('No link to it holds.').waitFor();
  const late = await visitor();
  await arrive(late, link);
  await late.getByText('This link shows nothing any more').waitFor();
  await Promise.all([page.context().close(), late.context().close()]);
});

describe('a role that may not change things', () => {
  const CHANGES: readonly (readonly [path: string, ...buttons: readonly RegExp[]])[] = [
    ['/incidents', /^Import$/],
    ['/alerts?tab=rules', /^Switch off /],
    ['/alerts?tab=channels', /^New channel$/],
    ['/alerts?tab=silences', /^Silence$/],
    ['/alerts/new', /^Make the rule$/],
  ];
  const ON_INCIDENT = [/^Resolve$/, /^Share$/, /^Replay$/, /^Comment$/, /^Owner: /] as const;
  const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();
  const incident = () => admin.evaluate(importIncident, seedIncidents(Date.now()).slice(0, 200));

  test('sees the changes of every page and is offered none of them; what it presses all the same says why', async () => {
    const page = await invited('viewer', 'Viola');
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    for (const [path, ...names] of [...CHANGES, [`/incidents/${await incident()}`, ...ON_INCIDENT] as const]) {
      await arrive(page, `${app.url}${path}`);
      for (const name of names) {
        await button(page, name).waitFor();
        expect(await button(page, name).isDisabled(), `${path} ${name.source}`).toBe(true);
      }
      expect(await seriousFindings(page), path).toEqual([]);
    }
    const said = 'This is for operators and administrators; your role is viewer.';
    await expect.poll(() => button(page, /^Resolve$/).getAttribute('title')).toBe(said);
    await button(page, /^Resolve$/).press('Enter');
    await page.getByText(said).first().waitFor();
    await page.getByRole('textbox', { name: 'Comment' }).and(page.locator(':disabled')).waitFor();
    await arrive(page, `${app.url}/alerts/new`);
    await page.getByLabel('Name', { exact: true }).fill('a rule of mine');
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await page.getByText(said).first().waitFor();
    await arrive(page, `${app.url}/settings?tab=retention`);
    await page.getByText('Changing it: This is for administrators; your role is viewer.').waitFor();
    expect(refused).toEqual([]);
    await page.context().close();
  });

  test('an operator is offered them, except what is for administrators', async () => {
    const page = await invited('operator', 'Oskar');
    for (const [path, ...names] of [...CHANGES.slice(0, 3), [`/incidents/${await incident()}`, ...ON_INCIDENT.slice(0, 3)] as const]) {
      await arrive(page, `${app.url}${path}`);
      for (const name of names) await expect.poll(() => button(page, name).isEnabled(), { message: `${path} ${name.source}` }).toBe(true);
    }
    await arrive(page, `${app.url}/settings?tab=retention`);
    await page.getByText('Changing it: This is for administrators; your role is operator.').waitFor();
    expect(await page.getByRole('button', { name: 'Count what would go' }).count()).toBe(0);
    await page.context().close();
  });
});

/** Runs in a page: takes a history in as an incident, with the page's own cookie. */
async function importIncident(records: readonly unknown[]): Promise<string> {
  const response = await fetch('/api/v1/incidents/import', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'a night to remember', records }),
  });
  return ((await response.json()) as { id: string }).id;
}

describe.each([
  { name: 'wide and dark', colorScheme: 'dark' as const, viewport: { width: 1440, height: 900 } },
  { name: 'narrow and light', colorScheme: 'light' as const, viewport: { width: 390, height: 844 } },
])('$name', ({ colorScheme, viewport }) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ colorScheme, viewport, storageState: await admin.context().storageState() });
    await context.addInitScript("localStorage.setItem('tidemark-theme', 'system')");
  });
  afterAll(() => context?.close());

  test.each(TABS)('the settings about %s have no serious finding of axe, nothing is cut off at the side', async (tab) => {
    const page = await context.newPage();
    await page.goto(`${app.url}/settings?tab=${tab}`, { waitUntil: 'networkidle' });
    for (const open of ['New key', 'Invite somebody']) {
      const button = page.getByRole('button', { name: open });
      if ((await button.count()) > 0) await button.first().click();
    }
    expect(await seriousFindings(page)).toEqual([]);
    await expect.poll(() => isSidewaysFree(page)).toBe(true);
    await page.close();
  });

  test('so has the sign-in', async () => {
    const page = await browser.newPage({ colorScheme, viewport });
    await page.goto(`${app.url}/sign-in`, { waitUntil: 'networkidle' });
    expect(await seriousFindings(page)).toEqual([]);
    await expect.poll(() => isSidewaysFree(page)).toBe(true);
    await page.close();
  });
});
