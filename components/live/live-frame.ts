import type { LiveFrame } from '@/lib/wire/live-frames';

/** A frame that tells of something stored. */
export type StoredFrame = Extract<LiveFrame, { type: 'stored' }>;

const TYPES: ReadonlySet<unknown> = new Set(['open', 'resume_unavailable', 'stored'] satisfies LiveFrame['type'][]);

/** Reads one text frame of `/api/v1/live`; null for anything else, which a page then ignores. */
export function readLiveFrame(text: unknown): LiveFrame | null {
  if (typeof text !== 'string') return null;
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return null;
  if (!('type' in value && 'generation' in value && 'seq' in value) || !TYPES.has(value.type)) return null;
  return typeof value.generation === 'string' && typeof value.seq === 'number' ? (value as LiveFrame) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
