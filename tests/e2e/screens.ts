import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { AppProcess } from './app-process';

/** Attempts of a server that does what it should: resumes, refusals, one over-refusal, one that cannot be judged. */
export function ordinaryTraffic(nowMs: number): TelemetryRecord[] {
  const common = (second: number) => ({
    type: 'resume_attempt' as const,
    id: newId(),
    at: new Date(nowMs - 60_000 - second * 1_000).toISOString(),
    server: 'search-mcp',
    session: `ordinary-${second % 7}`,
    generation: 1,
    requested_generation: 1,
    session_state: 'live' as const,
    floor: 10,
    head: 100,
    holes: [],
  });
  const resumed = Array.from({ length: 300 }, (_, second) => ({
    ...common(second),
    last_event_id: '90',
    cursor: 90,
    verdict: 'resumed' as const,
    status: 200,
    replayed: { count: 10, first: '91', last: '100' },
  }));
  const { floor: _floor, head: _head, ...unjudged } = common(303);
  return [
    ...resumed,
    { ...common(301), last_event_id: '3', cursor: 3, verdict: 'refused', status: 409, reason: 'below_floor' },
    { ...common(302), last_event_id: '50', cursor: 50, verdict: 'refused', status: 409 },
    { ...unjudged, last_event_id: '7', cursor: 7, verdict: 'resumed', status: 200 },
  ];
}

/** Both seed incidents as the product itself offers them, begun four minutes ago. */
export function seedIncidents(nowMs: number): TelemetryRecord[] {
  return [SAMPLE_S01, SAMPLE_S02].flatMap((sample) => sample.records(nowMs - 240_000, `${sample.id}-${newId()}`, newId));
}

/** Sends records the way a server does; rejects when any was not stored. */
export async function sendRecords(
  app: AppProcess,
  records: readonly TelemetryRecord[],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await fetch(`${app.url}/api/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(records),
  });
  const answer: unknown = await response.json();
  const accepted = typeof answer === 'object' && answer !== null && 'accepted' in answer ? answer.accepted : null;
  if (response.status !== 202 || accepted !== records.length) throw new Error(`telemetry was not stored whole: ${JSON.stringify(answer)}`);
}

/** Ordinary traffic and both seed incidents, the data that most pages are looked at with. */
export const sendSamples = (app: AppProcess): Promise<void> =>
  sendRecords(app, [...ordinaryTraffic(Date.now()), ...seedIncidents(Date.now())]);

interface AxeFinding {
  readonly id: string;
  readonly impact?: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Looks at a page until nothing is found: what fades in or is about to be drawn is too pale, or unnamed, for a moment. */
const LOOKS_MAX = 8;

/** What axe-core finds on the page, and goes on finding, that is serious or critical, with the element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  let found = await seriousNow(page);
  for (let looks = 1; looks < LOOKS_MAX && found.length > 0; looks++) found = await seriousNow(page);
  return found;
}

async function seriousNow(page: Page): Promise<string[]> {
  const violations = await page.evaluate<readonly AxeFinding[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then((results) => results.violations)",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}
