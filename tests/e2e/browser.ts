import { type Browser, chromium } from 'playwright-core';

/** What is waited for on a page comes late on a busy machine. */
const WAIT_MS = 120_000;

/** A headless Chromium: the one that `npm test` found or installed and names in TIDEMARK_CHROMIUM. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TIDEMARK_CHROMIUM'];
  if (executablePath === undefined || executablePath === '')
    throw new Error('set TIDEMARK_CHROMIUM to a Chromium, or run "npm test e2e", which finds one');
  const browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'], timeout: WAIT_MS });
  return browser.on('context', (context) => context.setDefaultTimeout(WAIT_MS));
}
