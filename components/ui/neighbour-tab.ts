/** The tab that an arrow key leads to, around the ends; null for any other key. */
export function neighbourTab<Tab>(tabs: readonly Tab[], tab: Tab, key: string): Tab | null {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  return step === 0 ? null : (tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? null);
}
