import type { Rule } from '@/lib/audit/rule';

/** Contract section 5: after 5 minutes. */
const SILENT_MS = 5 * 60_000;

/** A client that was told its session or cursor is gone neither started anew nor reported an error. */
export const silentClient: Rule = {
  code: 'silent_client',
  isOfSilence: true,
  sessionAtEnd: (session, server, report) => {
    const { told } = session;
    if (told === null || session.token === null || server.lastAt === null || server.lastAt - told.at < SILENT_MS) return;
    report({
      index: told.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      key: `${told.index}`,
      message: `The client was refused and neither started anew nor reported an error for ${Math.round((server.lastAt - told.at) / 60_000)} minutes.`,
    });
  },
};
