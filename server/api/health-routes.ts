import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';

const PING_MS_MAX = 2_000;
const Status = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(sql: Sql, intake: { readonly isDiskFull: boolean }): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process answers',
      scope: 'none',
      answers: { 200: Status },
      handle: () => ok({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      summary: 'Whether records can be stored and read now',
      scope: 'none',
      answers: { 200: Status },
      errors: ['database_unavailable', 'disk_full'],
      handle: async () => {
        await withinTime(sql`select 1`);
        if (intake.isDiskFull) throw new HttpError('disk_full', 'the database has no space left');
        return ok({ status: 'ok' });
      },
    },
  ];
}

async function withinTime(query: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HttpError('database_unavailable', 'the database does not answer')), PING_MS_MAX);
  });
  try {
    await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}
