import { parseArgs } from 'node:util';
import type { Change } from '@/lib/whatif/change';
import { casesOfAttempts, whatIf, whatIfSlices } from '@/lib/whatif/what-if';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** What-if over stored attempts (limit: 1,000,000 in under 5 s) and over a history, beside reading the attempts once. */
const { values } = parseArgs({ options: { attempts: { type: 'string', default: '1000000' } } });
const ATTEMPTS = Number(values.attempts);

const whole = (n: number): TelemetryRecord => ({
  type: 'resume_attempt',
  verdict: 'resumed',
  last_event_id: String(n),
  cursor: n % 5000,
  floor: 1000 + (n % 97),
  head: 3000 + (n % 4001),
  generation: 3,
  requested_generation: n % 50 === 0 ? 2 : 3,
  session_state: 'live',
});
const partial = (n: number): TelemetryRecord => ({
  type: 'resume_attempt',
  verdict: 'resumed',
  cursor: n % 5000,
  floor: 1000 + (n % 97),
  head: 6000,
});
const history = (n: number): TelemetryRecord =>
  n % 4 === 0
    ? { type: 'resume_attempt', verdict: 'resumed', conn: `c${n}`, last_event_id: `E_${Math.max(0, n - 400 - (n % 397))}` }
    : n % 4 === 1
      ? { type: 'evict', floor: `E_${Math.max(0, n - 500)}` }
      : { type: 'emit', event_id: `E_${n}`, bytes: 200 };

const CHANGES: Record<string, Change> = {
  'larger buffer': { buffer: { events: 4000 } },
  'stricter floor': { floor: 'retained' },
  'no generation check': { generation_check: false },
};

let failed = false;
for (const [facts, recordAt] of Object.entries({ 'every fact reported': whole, 'facts missing': partial })) {
  const records = Array.from({ length: ATTEMPTS }, (_, n) => recordAt(n));
  const read = timed(() => [...casesOfAttempts(records)].length).ms;
  for (const [name, change] of Object.entries(CHANGES)) {
    const { ms, value } = timed(() => drain(whatIfSlices(casesOfAttempts(records), change, { itemsMax: 10_000 })));
    report(
      `${facts}, ${name}`,
      ms,
      5000,
      `${value.changed} changed, ${value.reports} reports, longest slice ${value.longest.toFixed(0)} ms, ${(ms / read).toFixed(1)} times reading`,
    );
  }
}
const HISTORY = ATTEMPTS / 2;
const records = Array.from({ length: HISTORY }, (_, n) => history(n));
const { ms, value } = timed(() => whatIf(records, { buffer: { events: 300, bytes: 50_000 } }));
report(`one history of ${HISTORY} records`, ms, 5000, `${value.attempts} attempts, ${value.changed} changed`);
process.exitCode = failed ? 1 : 0;

function drain(slices: ReturnType<typeof whatIfSlices>): { changed: number; reports: number; longest: number } {
  let reports = 0;
  let longest = 0;
  for (;;) {
    const step = timed(() => slices.next());
    longest = Math.max(longest, step.ms);
    if (step.value.done === true) return { changed: step.value.value.changed, reports, longest };
    reports += 1;
  }
}

function report(name: string, ms: number, limit: number, more: string): void {
  failed ||= ms >= limit;
  console.log(`${ms < limit ? 'ok  ' : 'SLOW'} ${name}: ${ms.toFixed(0)} ms of ${limit}; ${more}`);
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}
