import { expect, test } from 'vitest';
import { incidentLeadWords, sentenceLeads } from '@/components/overview/sentence-leads';
import type { Summary } from '@/lib/wire/responses';

const INCIDENT = {
  id: 'i1',
  title: 'a loses events in silence',
  server: 'a',
  severity: 'critical',
  cause: 'skipped_events',
  next_step: 'Refuse it.',
} as const;
type Facts = Pick<Summary, 'worst_incident' | 'open_incidents'> & { unsafe: number; losing: number; codes: Record<string, number> };

function leads({ unsafe, losing, codes, ...rest }: Facts) {
  const summary = {
    ...rest,
    totals: { marks: { unsafe_resume: unsafe } },
    losing: Array.from({ length: losing }, () => ({})),
    findings: { codes },
  };
  return sentenceLeads(summary as unknown as Summary);
}
const QUIET: Facts = { worst_incident: null, open_incidents: 0, unsafe: 0, losing: 0, codes: {} };

test('the open incident comes first, whatever else there is to open', () => {
  expect(leads({ worst_incident: INCIDENT, open_incidents: 2, unsafe: 3, losing: 2, codes: { gap: 1, idle_cut: 9 } })).toEqual([
    { words: 'Open the incident', href: '/incidents/i1' },
    { words: 'Open the 3 unsafe resumes', href: '/attempts?mark=unsafe_resume' },
    {
      words: '1 finding of loss',
      href: '/findings?code=gap,lost_response,missignalled_caught_up,cursor_lost,ids_not_on_wire,stalled_delivery',
    },
    { words: '2 open incidents', href: '/incidents?state=open' },
    { words: '2 servers', href: '/servers' },
  ]);
});

test.each([
  ['nothing', QUIET, []],
  ['one unsafe resume', { ...QUIET, unsafe: 1, losing: 1 }, ['Open the unsafe resume']],
  ['findings of loss alone', { ...QUIET, codes: { lost_response: 2 } }, ['2 findings of loss']],
  ['findings of other kinds alone', { ...QUIET, codes: { idle_cut: 2 } }, []],
  ['an incident in a range without faults', { ...QUIET, worst_incident: INCIDENT, open_incidents: 1 }, ['Open the incident']],
])('%s leads to no more than there is', (_what, facts, words) => {
  expect(leads(facts).map((lead) => lead.words)).toEqual(words);
});

test('an incident says what to do next, where its cause is known', () => {
  expect(incidentLeadWords(INCIDENT)).toBe('Open incident: a loses events in silence. Next: Refuse it.');
  expect(incidentLeadWords({ ...INCIDENT, next_step: null })).toBe('Open incident: a loses events in silence.');
});
