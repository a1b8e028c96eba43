import type { LogChange } from '@/lib/proxy/log-store';
import type { Numbering } from '@/lib/session-log/numbering';
import type { Retention } from '@/lib/session-log/stream-log';

/** What the session logs are called in Redis, and how much of each is kept there. */
export const metaKey = (key: string) => `tidemark:{${key}}:meta`;
export const opsKey = (key: string) => `tidemark:{${key}}:ops`;
export const holdsKey = (key: string) => `tidemark:{${key}}:holds`;
export const basesKey = (key: string) => `tidemark:{${key}}:bases`;
/** All of a session, in the order in which scripts take them. */
export const sessionKeys = (key: string) => [metaKey(key), opsKey(key), holdsKey(key), basesKey(key)] as const;
export const changeChannel = (key: string) => `tidemark:changes:${key}`;
export const releaseChannel = (node: string) => `tidemark:release:${node}`;
export const leaseKey = (node: string) => `tidemark:node:${node}`;
/** Enough changes, and bytes in them, to rebuild what is retained and remembered, several streams of it. */
export const limits = (retention: Retention): string => `${changesMax(retention)}:${4 * retention.bytes + 1024 * 1024}`;
export const changesMax = ({ events }: Retention): number => Math.min(100_000, 4 * events + 256);
export const ttl = (retention: Retention): number => Math.max(60 * 60_000, 2 * retention.ttlMs);

/** What a change says that is kept beside the changes, and said once. */
export function noteOf(change: LogChange): readonly [string, string] {
  if (change.kind === 'instance') return ['instance', change.instance];
  if (change.kind !== 'generation') return ['', ''];
  if (change.incarnation !== undefined) return ['incarnation', String(change.incarnation)];
  return change.instance === undefined ? ['', ''] : ['instance', change.instance];
}

/** The retention that a session began with; null where none was kept. */
export function retentionOf(text: string | undefined): Retention | null {
  return text === undefined ? null : (JSON.parse(text) as Retention);
}

/** Where the numbering of a log stood after one of its changes. */
export interface LogBase {
  /** Number of that change. */
  readonly seq: number;
  readonly numbering: Numbering;
}

export const baseText = ({ seq, numbering }: LogBase): string => `${seq} ${JSON.stringify(numbering)}`;

export function baseOf(text: string | undefined): LogBase | null {
  if (text === undefined) return null;
  const end = text.indexOf(' ');
  return { seq: Number(text.slice(0, end)), numbering: JSON.parse(text.slice(end)) as Numbering };
}
