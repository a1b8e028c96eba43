import type { CountBounds } from '@/components/query/query-language';

/** Bounds as the URL carries them: `11..`, `..4`, `10..20`. */
export function boundsText({ min, max }: CountBounds): string {
  return `${min ?? ''}..${max ?? ''}`;
}

/** Reads `boundsText` back; null for what is none. */
export function readBounds(text: string): CountBounds | null {
  const [, low, high] = /^(\d{0,19})\.\.(\d{0,19})$/.exec(text) ?? [];
  if (low === undefined || high === undefined || (low === '' && high === '')) return null;
  return { min: low === '' ? null : BigInt(low), max: high === '' ? null : BigInt(high) };
}
