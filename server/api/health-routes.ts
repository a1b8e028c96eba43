import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { TROUBLES } from '@/lib/store/database-trouble';

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
      errors: ['database_unavailable', 'database_read_only', 'disk_full'],
      handle: async () => {
        const [state] = await withinTime(sql<{ read_only: string }[]>`select current_setting('transaction_read_only') as read_only`);
        if (state?.read_only === 'on') throw new HttpError('database_read_only', TROUBLES.database_read_only);
        if (intake.isDiskFull) throw new HttpError('disk_full', TROUBLES.disk_full);
        return ok({ status: 'ok' });
      },
    },
  ];
}

async function withinTime<T>(query: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HttpError('database_unavailable', 'the database does not answer')), PING_MS_MAX);
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}
