import { ASSESSMENT_CODES } from '@/db/codes';
import type { Tx } from '@/db/transactions';
import type { Cause, Evidence } from '@/lib/incidents/incident';
import { evidenceOfRates, type RateStep } from '@/lib/incidents/rates';

const STEP_MS = 5 * 60_000;
/** A step is judged this long after its end: records take a moment to arrive. */
const GRACE_MS = 60_000;
/** Steps that one is measured against. */
const BASELINE_STEPS = 24;
/** How far back judging goes after downtime, and how many steps it takes at a time. */
const CATCH_UP_STEPS = 288;
const STEPS_PER_LOOK = 4;
/** Sessions that a rate names as examples: its evidence. */
const EXAMPLES = 20;

export interface JudgedRates {
  readonly evidence: Evidence[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly isAll: boolean;
}

/**
 * Counts attempts of the steps that ended since `until` and judges each against those before it. Every step is
 * counted once: what arrives later than its grace is not in it.
 */
export async function judgeRates(tx: Tx, until: number | null, now: number): Promise<JudgedRates> {
  const newest = Math.floor((now - GRACE_MS) / STEP_MS) * STEP_MS;
  const from = Math.max(until ?? newest - CATCH_UP_STEPS * STEP_MS, newest - CATCH_UP_STEPS * STEP_MS);
  const last = Math.min(newest, from + STEPS_PER_LOOK * STEP_MS);
  if (last <= from) return { evidence: [], until: from, isAll: true };
  await countSteps(tx, from, last);
  const evidence: Evidence[] = [];
  for (let step = from + STEP_MS; step <= last; step += STEP_MS) evidence.push(...(await judgeStep(tx, step)));
  await tx.query('delete from rate_step where until < $1', [new Date(newest - 2 * CATCH_UP_STEPS * STEP_MS)]);
  return { evidence, until: last, isAll: last === newest };
}

async function countSteps(tx: Tx, from: number, until: number): Promise<void> {
  await tx.query(
    `insert into rate_step (server_id, until, attempts, unavailable, unverifiable, sessions)
     select server_id, date_bin($3, at, 'epoch') + $3::interval, count(*)::int, count(*) filter (where is_unavailable)::int,
       count(*) filter (where assessment = $4)::int, count(distinct session_ref)::int
     from attempt where at >= $1 and at < $2 group by 1, 2
     on conflict do nothing`,
    [new Date(from), new Date(until), `${STEP_MS} milliseconds`, ASSESSMENT_CODES.unverifiable],
  );
}

interface StepRow {
  readonly server_id: number;
  readonly server: string;
  readonly until: Date;
  readonly attempts: number;
  readonly unavailable: number;
  readonly unverifiable: number;
  readonly sessions: number;
}

async function judgeStep(tx: Tx, step: number): Promise<Evidence[]> {
  const { rows } = await tx.query<StepRow>(
    `select r.*, s.name as server from rate_step r join server s on s.id = r.server_id
     where r.until <= $1 and r.until > $2 and exists (select from rate_step n where n.server_id = r.server_id and n.until = $1)
     order by r.server_id, r.until`,
    [new Date(step), new Date(step - (BASELINE_STEPS + 1) * STEP_MS)],
  );
  const byServer = new Map<number, StepRow[]>();
  for (const row of rows) byServer.set(row.server_id, [...(byServer.get(row.server_id) ?? []), row]);
  const found: Evidence[] = [];
  for (const [serverId, own] of byServer) {
    for (const piece of evidenceOfRates({ server: own[0]?.server ?? '', at: step, steps: withGaps(own, step) })) {
      found.push(piece, ...(await examples(tx, serverId, step, piece)));
    }
  }
  return found;
}

/** Steps from the first that the server was heard of in; those in which nothing happened count as nothing. */
function withGaps(rows: readonly StepRow[], last: number): RateStep[] {
  const byEnd = new Map(rows.map((row) => [row.until.getTime(), row]));
  const steps: RateStep[] = [];
  for (let end = rows[0]?.until.getTime() ?? last; end <= last; end += STEP_MS) {
    const row = byEnd.get(end);
    steps.push({
      attempts: row?.attempts ?? 0,
      resumeUnavailable: row?.unavailable ?? 0,
      unverifiable: row?.unverifiable ?? 0,
      sessions: row?.sessions ?? 0,
    });
  }
  return steps;
}

const SPOKEN_FOR: Readonly<Partial<Record<Cause, string>>> = {
  resume_unavailable: 'is_unavailable',
  blind: `assessment = ${ASSESSMENT_CODES.unverifiable}`,
};

/** The sessions that most of it happened to, each a piece of evidence that counts nothing further. */
async function examples(tx: Tx, serverId: number, step: number, piece: Evidence): Promise<Evidence[]> {
  const { rows } = await tx.query<{ session_ref: string }>(
    `select session_ref from attempt
     where server_id = $1 and at >= $2 and at < $3 and session_ref is not null and ${SPOKEN_FOR[piece.cause] ?? 'true'}
     group by 1 order by count(*) desc, 1 limit ${EXAMPLES}`,
    [serverId, new Date(step - STEP_MS), new Date(step)],
  );
  return rows.map(({ session_ref }) => ({ ...piece, session: session_ref.replaceAll('-', ''), attempts: 0 }));
}
