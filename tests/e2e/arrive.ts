import type { Page } from 'playwright-core';

/** Leads a page to an address and waits until its own code runs: what is typed or pressed before that may be lost. */
export async function arrive(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction("Object.keys(document.body).some((key) => key.startsWith('__reactProps'))");
}
