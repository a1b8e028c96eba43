import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sql } from '@/db/connect';
import { auditRecords } from '@/lib/audit/audit-records';
import { call } from './api-client';

export type Json = Record<string, unknown>;

const TRIES_MAX = 1800;

/** Waits until a condition holds; fails after minutes. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (await condition()) return;
    await pause(100);
  }
  throw new Error(`did not come to pass: ${what}`);
}

/** Waits until everything stored is audited, its silence settled and the state of every audit saved. */
export async function auditedAll(sql: Sql): Promise<void> {
  await until('the inbox is empty', async () => {
    const [row] = await sql<{ waiting: number }[]>`select count(*)::int as waiting from audit_inbox`;
    return row?.waiting === 0;
  });
  let before = '';
  let unchanged = 0;
  await until('findings have settled', async () => {
    const [row] = await sql<
      { state: string }[]
    >`select concat(count(*), ' ', max(changed_at), ' ', (select max(saved_at) from audit_checkpoint)) as state from finding`;
    unchanged = row?.state === before ? unchanged + 1 : 0;
    before = row?.state ?? '';
    return unchanged >= 40;
  });
}

/** What makes a finding the same in a history of one server, wherever it was audited. */
function essence({ code, severity, blame, count, exact, stream, conn, first, last }: Json): string {
  return [code, severity, blame, count, exact, stream, conn, first, last].map(String).join(' | ');
}

/** Findings of a server that are stored, all pages of them, sorted. */
async function storedFindings(base: string, server: string): Promise<string[]> {
  const items: Json[] = [];
  let cursor = '';
  do {
    const { status, body } = await call(`${base}/api/v1/findings?limit=50&server=${encodeURIComponent(server)}${cursor}`);
    expect(status).toBe(200);
    items.push(...(body['items'] as Json[]));
    cursor = body['next'] === null ? '' : `&cursor=${String(body['next'])}`;
  } while (cursor !== '');
  return items.map(essence).sort();
}

/** Waits until these are the findings of a server, and says where they differ when they never are. */
export async function expectFindings(base: string, server: string, expected: readonly string[]): Promise<void> {
  let stored: string[] = [];
  await until('the findings are stored', async () => {
    stored = await storedFindings(base, server);
    return JSON.stringify(stored) === JSON.stringify(expected);
  }).catch(() => undefined);
  expect(stored, server).toEqual(expected);
}

/** Findings of the pure audit of the same records, sorted. */
export function pureFindings(records: readonly Json[]): string[] {
  const audited = auditRecords(records);
  if (!audited.ok) throw new Error(audited.error.message);
  return audited.value.findings.map((finding) => essence({ ...finding })).sort();
}
