import type { Rule } from '@/lib/audit/rule';
import { isForeignPage } from '@/lib/audit/rules/over-refusal';

/** Not a session is missing but the route: even `initialize` gets 404, or the 404 is a web page. */
export const routeNotFound: Rule = {
  code: 'route_not_found',
  requested: ({ record, session, index, isInitialize }, report) => {
    if (record.status !== 404 || !(isInitialize || isForeignPage(record.content_type))) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      conn: record.conn ?? null,
      key: 'route',
      message: isInitialize
        ? 'An initialize was answered 404: there is no endpoint at this route.'
        : 'A call was answered 404 with a web page: it never reached the MCP endpoint.',
    });
  },
};
