import { readFileSync } from 'node:fs';
import { batchesOf } from './attempts';
import { httpSender, type Sender, sendersOf } from './senders';

/** Records that senders hold out at a time under overload: more than the intake lets wait. */
const OVERLOAD_RECORDS = 256_000;
const STEPS_PER_MINUTE = 6;
/** A first part of the time is left out: memory fills up to what the work needs. */
const WARM_UP_SHARE = 1 / 4;
/** Growth from the first to the last minute after the warm-up, by the line of least squares, that counts as flat. */
const GROWTH_MAX = 0.1;

export interface OverloadParts {
  readonly base: string;
  /** Process id of the edge. */
  readonly pid: number;
  readonly minutes: number;
  readonly perPost: number;
  /** Empties the table and answers with the rows that it had. */
  readonly emptied: () => Promise<number>;
}

interface Step {
  taken: number;
  refused: number;
}

/**
 * More senders than the intake has room for, without a pause, the table emptied six times a minute. True when what the edge
 * holds does not grow and the rows that were stored are those that were acknowledged.
 */
export async function overload({ base, pid, minutes, perPost, emptied }: OverloadParts): Promise<boolean> {
  const senders = await sendersOf(base, Math.ceil(OVERLOAD_RECORDS / perPost), httpSender);
  const held: number[] = [];
  const all = { taken: 0, refused: 0, stored: 0 };
  await emptied();
  for (let step = 0; step < minutes * STEPS_PER_MINUTE; step++) {
    const { taken, refused } = await push(senders, perPost);
    all.stored += await emptied();
    all.taken += taken;
    all.refused += refused;
    const mb = residentMb(pid);
    held.push(mb);
    console.log(
      `overload, ${((step + 1) / STEPS_PER_MINUTE).toFixed(1)} min: ${taken} batches taken, ${refused} refused; the edge holds ${mb} MB`,
    );
  }
  for (const { close } of senders) close();
  const settled = held.slice(Math.ceil(held.length * WARM_UP_SHARE));
  const { from, to } = lineThrough(settled);
  const isFlat = to - from <= from * GROWTH_MAX;
  const isExact = all.stored === all.taken * perPost;
  console.log(
    `memory under overload: from ${Math.round(from)} to ${Math.round(to)} MB, ${(((to - from) / settled.length) * STEPS_PER_MINUTE).toFixed(1)} MB per minute, ` +
      `at most ${Math.max(...held)} MB: ${isFlat ? 'flat' : 'grows'} (at most ${GROWTH_MAX * 100} % after the warm-up is flat)`,
  );
  console.log(
    `under overload ${all.refused} batches were refused with 429; ${all.taken * perPost} records acknowledged, ${all.stored} stored: ${isExact ? 'equal' : 'NOT EQUAL'}`,
  );
  return isFlat && isExact && all.refused > 0;
}

async function push(senders: readonly Sender[], perPost: number): Promise<Step> {
  const until = performance.now() + 60_000 / STEPS_PER_MINUTE;
  const step: Step = { taken: 0, refused: 0 };
  const work = async ({ send }: Sender): Promise<void> => {
    while (performance.now() < until) {
      for (const batch of batchesOf(perPost, perPost)) {
        if (await send(batch)) step.taken++;
        else {
          step.refused++;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    }
  };
  await Promise.all(senders.map(work));
  return step;
}

/** First and last value of the line of least squares through values that are equally far apart. */
function lineThrough(values: readonly number[]): { from: number; to: number } {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  const slope = spread === 0 ? 0 : values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / spread;
  return { from: mean - slope * middle, to: mean + slope * middle };
}

/** Megabytes that a process holds; only Linux tells it this way. */
export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
