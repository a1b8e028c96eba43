/** Findings by code in a few words, the most frequent first: `gap 38, lost_response 9`. */
export function countsByCode(findings: readonly { readonly code: string }[]): string {
  if (findings.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, 2).map(([code, count]) => `${code} ${count}`);
  return sorted.length > 2 ? `${shown.join(', ')} and ${sorted.length - 2} more` : shown.join(', ');
}
