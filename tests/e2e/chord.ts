import type { Page } from 'playwright-core';

/** Presses a key and, without waiting for what the page makes of it, the next one: the page knows them as one chord for a moment only. */
export async function chord(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
