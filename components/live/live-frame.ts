import type { LiveFrame } from '@/lib/wire/responses';

/** Reads one text frame of `/api/v1/live`; null for anything else, which a page then ignores. */
export function readLiveFrame(text: unknown): LiveFrame | null {
  if (typeof text !== 'string') return null;
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return null;
  if (!('seq' in value && 'attempts' in value && 'stored' in value)) return null;
  return typeof value.attempts === 'number' && typeof value.stored === 'number' ? (value as LiveFrame) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
