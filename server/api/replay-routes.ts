import type Type from 'typebox';
import type { ReplayTarget } from '@/lib/config/config';
import { type DrivenResume, drive } from '@/lib/drive/drive';
import { DriveProblem } from '@/lib/drive/drive-problem';
import type { DrivePlan } from '@/lib/drive/plan';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import {
  REPLAY_RATE,
  REPLAY_SPEED,
  ReplayBody,
  type ReplayedResume,
  ReplayPlan,
  type ReplayProgress,
  ReplayResult,
} from '@/lib/incidents/replay-schema';
import { noteReplay } from '@/lib/store/incident-edits';
import { decodeBody } from '@/server/api/decode-body';
import { readIncidentId } from '@/server/api/incident-routes';
import { NDJSON, progressAnswer } from '@/server/api/job-answer';
import type { IncidentContext } from '@/server/incident-context';

/** A replay that takes longer ends, with what it found until then. */
const REPLAY_MS_MAX = 600_000;

type Wanted = Type.Static<typeof ReplayBody>;

/** Recorded incidents done again against live servers: only where the configuration allows it, one at a time, after a confirmation. */
export function replayRoutes(context: IncidentContext): Route[] {
  const { pool, replayTargets } = context;
  const planOf = async (incident: string): Promise<DrivePlan> => (await pool.run({ type: 'drive_plan', incident })) as DrivePlan;
  let isRunning = false;
  return [
    {
      method: 'GET',
      path: '/api/v1/incidents/{id}/replays',
      summary: 'What a replay of an incident would do, and the targets that are allowed',
      answers: { 200: ReplayPlan },
      errors: ['not_found', 'busy', 'job_timeout'],
      handle: async ({ params }) => ok(planBody(await planOf(readIncidentId(params)), replayTargets)),
    },
    {
      method: 'POST',
      path: '/api/v1/incidents/{id}/replays',
      scope: 'operate',
      summary: `Does again against an allowed target what the recorded clients did; needs "confirm": true. With accept: ${NDJSON} each resume comes as it happens, and closing the connection ends the replay`,
      body: { 'application/json': ReplayBody },
      answers: { 200: ReplayResult },
      errors: ['malformed_json', 'invalid_field', 'not_found', 'confirmation_needed', 'busy', 'job_timeout', 'replay_failed'],
      handle: async (call) => {
        const id = readIncidentId(call.params);
        const wanted = await decodeBody(call, ReplayBody);
        const target = replayTargets.find(({ name }) => name === wanted.target);
        if (target === undefined) throw invalidField('target', `names none of the allowed targets: ${namesOf(replayTargets)}`);
        const plan = await planOf(id);
        if (wanted.confirm !== true) throw unconfirmed(plan, target, wanted);
        if (isRunning) throw new HttpError('busy', 'another replay is running', { headers: { 'retry-after': '10' } });
        isRunning = true;
        const actor = wanted.actor ?? call.caller.name;
        return progressAnswer(call, async (tell, signal) => {
          try {
            return JSON.stringify(await runReplay(context, { id, plan, target, wanted, actor }, tell, signal));
          } finally {
            isRunning = false;
          }
        });
      },
    },
  ];
}

const namesOf = (targets: readonly ReplayTarget[]): string =>
  targets.length === 0 ? 'there are none, see replay.targets in docs/operations.md' : targets.map(({ name }) => name).join(', ');

function planBody({ steps, callsLeftOut }: DrivePlan, targets: readonly ReplayTarget[]): Type.Static<typeof ReplayPlan> {
  return {
    sessions: new Set(steps.map(({ session }) => session)).size,
    steps: steps.length,
    resumes: steps.filter(({ kind }) => kind === 'resume').length,
    calls_left_out: callsLeftOut,
    recorded_ms: steps.reduce((sum, { waitMs }) => sum + waitMs, 0),
    targets: [...targets],
  };
}

function unconfirmed(plan: DrivePlan, target: ReplayTarget, { speed = REPLAY_SPEED.usual, rate = REPLAY_RATE.usual }: Wanted): HttpError {
  const { sessions, steps, resumes } = planBody(plan, []);
  return new HttpError(
    'confirmation_needed',
    `this would open ${sessions} sessions on ${target.url} and send ${steps} steps, ${resumes} of them resumes, ${speed} times as fast as recorded and at most ${rate} requests a second`,
  );
}

interface Replay {
  readonly id: string;
  readonly plan: DrivePlan;
  readonly target: ReplayTarget;
  readonly wanted: Wanted;
  readonly actor: string;
}

async function runReplay(
  { transactions, now }: IncidentContext,
  { id, plan, target, wanted, actor }: Replay,
  tell: (progress: ReplayProgress) => void,
  gone: AbortSignal,
): Promise<Type.Static<typeof ReplayResult>> {
  const items: ReplayedResume[] = [];
  let done = 0;
  const late = AbortSignal.timeout(REPLAY_MS_MAX);
  const told = { target: target.name, resumes: 0, as_recorded: 0, against_rules: 0, is_whole: true, items };
  const finish = async () => {
    Object.assign(told, countsOf(items));
    const { items: _, ...detail } = told;
    await noteReplay(transactions, id, detail, actor, now());
  };
  try {
    await drive(plan, {
      target: new URL(target.url),
      speed: wanted.speed ?? REPLAY_SPEED.usual,
      rate: wanted.rate ?? REPLAY_RATE.usual,
      headers: wanted.authorization === undefined ? {} : { authorization: wanted.authorization },
      signal: AbortSignal.any([gone, late]),
      onResume: (resume) => {
        const item = itemOf(resume);
        items.push(item);
        tell({ done, steps: plan.steps.length, resume: item });
      },
      onStep: (count) => {
        done = count;
        tell({ done, steps: plan.steps.length, resume: null });
      },
    });
  } catch (cause) {
    if (cause instanceof DriveProblem) throw new HttpError('replay_failed', cause.message, { cause });
    told.is_whole = false;
    if (gone.aborted || !late.aborted) {
      await finish();
      throw gone.aborted ? new HttpError('job_called_off', 'the caller went away', { cause }) : cause;
    }
  }
  await finish();
  return told;
}

function countsOf(items: readonly ReplayedResume[]) {
  return {
    resumes: items.length,
    as_recorded: items.filter(({ recorded, actual }) => isAsRecorded(recorded.verdict, actual.verdict)).length,
    against_rules: items.filter(({ rules, actual }) => rules?.verdict === 'refuse' && actual.verdict === 'resumed').length,
  };
}

/** A stream that began anew looks from outside as one that resumed and had nothing to replay. */
const isAsRecorded = (recorded: string, actual: string): boolean => recorded === actual || (recorded === 'fresh' && actual === 'resumed');

const itemOf = ({ index, recorded, rules, sent, isRecordedCursor, actual }: DrivenResume): ReplayedResume => ({
  index,
  recorded,
  rules,
  sent,
  is_recorded_cursor: isRecordedCursor,
  actual,
});
