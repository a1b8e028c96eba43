import type { Conn, SessionState } from '@/lib/audit/model/types';
import type { Report, Rule } from '@/lib/audit/rule';

/** Refusals, or time between a refusal and the takeover, that show a holder dead rather than just replaced. */
const REFUSALS_FROM = 2;
const HELD_MS = 10_000;

/** A listener that is dead but was never closed kept newcomers out until the server gave it up. */
export const zombieHolder: Rule = {
  code: 'zombie_holder',
  opened: ({ conn, session, stream, index, at, isBusy }, report) => {
    for (const holder of [...session.conns.values()]) {
      if (holder === conn || holder.stream !== stream.stream || holder.kind === 'answer' || holder.kind === 'implied') continue;
      if (isBusy) {
        if (holder.busy !== null && holder.busy.frames === holder.frames) holder.busy.count++;
        else holder.busy = { count: 1, firstIndex: index, firstAt: at, frames: holder.frames };
      } else if (conn !== null && isDead(holder, at)) {
        tell(session, holder, index, at, report);
        session.conns.delete(holder.name);
      }
    }
  },
  // A holder that the server or the network ended after it was silent through the refusals was dead as well.
  ended: ({ conn, cause, session, index, at }, report) => {
    if ((cause === 'server' || cause === 'network') && conn.busy !== null && conn.busy.count >= REFUSALS_FROM && isDead(conn, at)) {
      tell(session, conn, index, at, report);
    }
  },
};

/** Silent since the first refusal, and refused for often or long enough. */
function isDead({ busy, frames }: Conn, at: number | null): boolean {
  if (busy === null || busy.frames !== frames) return false;
  return busy.count >= REFUSALS_FROM || (at !== null && busy.firstAt !== null && at - busy.firstAt >= HELD_MS);
}

function tell(session: SessionState, holder: Conn, index: number, at: number | null, report: Report): void {
  const { busy } = holder;
  if (busy === null) return;
  const held = at === null || busy.firstAt === null ? '' : ` for ${Math.round((at - busy.firstAt) / 1000)} s`;
  report({
    index,
    count: busy.count,
    server: session.server,
    session: session.token,
    stream: holder.stream,
    conn: holder.name,
    records: [holder.openedIndex, busy.firstIndex, index],
    message: `Connection ${holder.name} wrote nothing and was not closed, and ${busy.count} newcomers were refused because of it${held}.`,
  });
}
