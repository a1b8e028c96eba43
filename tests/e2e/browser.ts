import { type Browser, chromium } from 'playwright-core';

/** A headless Chromium: the one that `npm test` found or installed and names in TIDEMARK_CHROMIUM. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TIDEMARK_CHROMIUM'];
  if (executablePath === undefined || executablePath === '')
    throw new Error('set TIDEMARK_CHROMIUM to a Chromium, or run "npm test e2e", which finds one');
  return chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] });
}
