import type { Step } from '@/components/api/timeline';
import type { RecordOf } from '@/lib/wire/schema';

/** What the session is as of a record: its state in the contract's words, and since when. */
export interface SessionNow {
  readonly state: string;
  readonly since: number | null;
  readonly firstSeen: number;
}

const STATE_AFTER: Readonly<Record<RecordOf<'session'>['event'], string>> = {
  created: 'live',
  restored: 'live',
  ended: 'evicted',
  evicted: 'evicted',
  superseded: 'superseded',
};

/** The state that the newest session event up to `index` left; null before the first record. */
export function sessionNow(steps: readonly Step[], index: number): SessionNow | null {
  const [first] = steps;
  if (first === undefined || first.index > index) return null;
  for (let place = steps.length - 1; place >= 0; place--) {
    const step = steps[place];
    if (step === undefined || step.index > index || step.record.type !== 'session') continue;
    return { state: STATE_AFTER[step.record.event], since: step.index, firstSeen: first.index };
  }
  return { state: 'live as far as is known', since: null, firstSeen: first.index };
}
