import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type AppOptions, type AppProcess, disposeApp, startApp } from './app-process';
import { arrive } from './arrive';
import { openBrowser } from './browser';

const DESKTOP = { width: 1440, height: 900 };

/** The app and a browser for all tests of a file; reading either before `beforeAll` has run throws. */
export interface Site {
  readonly app: AppProcess;
  readonly browser: Browser;
  /** A page in a context of its own, closed after the test; 1440 px wide unless said otherwise. */
  readonly open: (path: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** Registers the hooks that start, prepare and dispose of a file's app and browser. */
export function siteOfFile(
  prepare: (app: AppProcess) => Promise<void> = async () => {},
  options: () => AppOptions | Promise<AppOptions> = () => ({}),
): Site {
  let app: AppProcess | undefined;
  let browser: Browser | undefined;
  let pages: Page[] = [];
  beforeAll(async () => {
    [app, browser] = await Promise.all([startApp(await options()), openBrowser()]);
    await prepare(app);
  });
  afterAll(async () => {
    await browser?.close();
    if (app !== undefined) await disposeApp(app);
  });
  afterEach(async () => {
    for (const page of pages) await page.context().close();
    pages = [];
  });
  const site: Site = {
    get app() {
      return running(app);
    },
    get browser() {
      return running(browser);
    },
    open: async (path, contextOptions = {}) => {
      const context = await site.browser.newContext({ viewport: DESKTOP, ...contextOptions });
      const page = await context.newPage();
      pages.push(page);
      await arrive(page, new URL(path, site.app.url).href);
      return page;
    },
  };
  return site;
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the app is started by beforeAll: use it inside a test');
  return part;
}
