import type { Rule } from '@/lib/audit/rule';

/** Contract section 5: from 3 closes of silent connections whose lifetimes differ by under 2 %. */
const CLOSES_FROM = 3;
const SPREAD = 0.02;
/** Shorter lives are failures to connect, not cuts of an idle stream. */
const LIFETIME_MIN_MS = 1_000;

/** The path cuts silent streams after a fixed time. */
export const idleCut: Rule = {
  code: 'idle_cut',
  ended: ({ conn, cause, at, index, session }, report) => {
    if (cause !== 'network' || conn.frames > 0n || at === null || conn.openedAt === null) return;
    const ms = at - conn.openedAt;
    if (ms < LIFETIME_MIN_MS) return;
    session.silentLifetimes.push({ ms, index });
    if (session.silentLifetimes.length > CLOSES_FROM) session.silentLifetimes.shift();
    if (session.silentLifetimes.length < CLOSES_FROM) return;
    const lives = session.silentLifetimes.map((life) => life.ms);
    const shortest = Math.min(...lives);
    const longest = Math.max(...lives);
    if ((longest - shortest) / shortest >= SPREAD) return;
    report({
      index,
      count: CLOSES_FROM,
      exact: false,
      server: conn.server,
      session: session.token,
      stream: conn.stream,
      conn: conn.name,
      records: session.silentLifetimes.map((life) => life.index),
      key: conn.stream,
      message: `${CLOSES_FROM} silent connections in a row were cut after ${(shortest / 1000).toFixed(1)} to ${(longest / 1000).toFixed(1)} s.`,
    });
  },
};
