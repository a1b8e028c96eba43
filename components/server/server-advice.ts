import { countOf, formatCount } from '@/components/format/count';
import type { ServerDetail } from '@/lib/wire/responses';

/** An advice: what was seen, and what to do about it. */
export interface Advice {
  readonly key: string;
  readonly seen: string;
  readonly step: string;
}

/** What the operator of a server should do, by what was seen of it; the gravest first. Empty when nothing needs doing. */
export function serverAdvice(detail: ServerDetail): Advice[] {
  return [unsafeAdvice, retentionAdvice, overRefusalAdvice, loopAdvice, missingAdvice, blindAdvice, idAdvice].flatMap((advise) => {
    const advice = advise(detail);
    return advice === null ? [] : [advice];
  });
}

function unsafeAdvice({ totals }: ServerDetail): Advice | null {
  const unsafe = totals?.marks.unsafe_resume ?? 0;
  if (unsafe === 0) return null;
  return {
    key: 'unsafe',
    seen: `${countOf(unsafe, 'resume was', 'resumes were')} accepted that had to be refused.`,
    step: 'Decide by session, generation and retained log before the replay: guardResume of the SDK package does, or a proxy route in the mode enforce.',
  };
}

function retentionAdvice({ retention }: ServerDetail): Advice | null {
  const { kept_median: kept, needed_p95: needed, measured, served_whole: whole } = retention;
  if (kept === null || needed === null || BigInt(needed) <= BigInt(kept)) return null;
  return {
    key: 'retention',
    seen: `Half of the time at most ${countOf(kept, 'event')} are kept; 95 % of reconnects need up to ${formatCount(needed)}. ${formatCount(whole)} of ${formatCount(measured)} could be served whole.`,
    step: `Keep at least ${countOf(needed, 'event')} per stream.`,
  };
}

function overRefusalAdvice({ totals }: ServerDetail): Advice | null {
  const over = totals?.marks.over_refusal ?? 0;
  if (over === 0) return null;
  return {
    key: 'over',
    seen: `${countOf(over, 'cursor was', 'cursors were')} refused though everything after them was retained.`,
    step: 'Check the floor rule and how the cursor is read: a cursor one below the floor is served whole.',
  };
}

function loopAdvice({ clients }: ServerDetail): Advice | null {
  const looping = clients.filter((client) => client.after_refusal.looped > 0);
  if (looping.length === 0) return null;
  const names = looping.map(({ client }) => client ?? 'clients without a name').join(', ');
  return {
    key: 'loops',
    seen: `${names} presented a refused cursor three times or more.`,
    step: 'Answer in the style terminal_error where a call is pending, so that the client stops; a client that understands the refusal starts afresh.',
  };
}

function missingAdvice({ totals }: ServerDetail): Advice | null {
  if (totals?.at_least !== true) return null;
  return {
    key: 'missing',
    seen: 'Telemetry of this server is known to be missing: every count may be short.',
    step: 'Look at what the intake answers (rejected) and at what the sender gives up (stats.dropped of the SDK package).',
  };
}

function blindAdvice({ totals }: ServerDetail): Advice | null {
  const unknown = totals?.marks.unverifiable ?? 0;
  if (unknown === 0) return null;
  return {
    key: 'blind',
    seen: `${countOf(unknown, 'attempt')} could not be judged.`,
    step: 'Report floor, head and generation with each attempt; the instrumentation of the SDK package does.',
  };
}

function idAdvice({ id_shapes }: ServerDetail): Advice | null {
  if (id_shapes.length < 2) return null;
  return {
    key: 'ids',
    seen: `Clients presented event ids of ${id_shapes.length} shapes.`,
    step: 'Nothing to do where several versions run side by side. Else check that every stream numbers its events in one way.',
  };
}
