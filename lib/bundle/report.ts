import { createAudit } from '@/lib/audit/audit';
import type { Finding } from '@/lib/audit/finding';
import type { Bundle } from '@/lib/bundle/bundle';
import { html } from '@/lib/bundle/html-text';
import { plotOf } from '@/lib/bundle/report-plot';
import { REPORT_STYLE } from '@/lib/bundle/report-style';
import { type Explanation, explainHistory } from '@/lib/replay/explain';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import type { TimelineStep } from '@/lib/wire/timeline-responses';

/** What a report lists; it says what it leaves out. */
const EXPLAINED_MAX = 100;
const STEPS_MAX = 2_000;

/**
 * An incident as one HTML file that needs nothing else: what happened, why each resume was right or wrong with the
 * proof, the findings, and the records with the state after each. No script, nothing fetched. Equal bundles give equal text.
 */
export function reportOf({ incident, records }: Bundle): string {
  const audit = createAudit();
  for (const [index, record] of records.entries()) audit.push(record, index);
  const { findings } = audit.finish();
  const explained = explainHistory(records, findings);
  const steps = foldTimeline(records, findings);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="content-security-policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${html(incident.title)}</title><style>${REPORT_STYLE}</style></head><body><main>`,
    `<h1>${html(incident.title)}</h1>`,
    `<p>${[incident.severity, incident.state, incident.server, incident.opened_at]
      .filter((fact) => fact !== undefined)
      .map(html)
      .join(' · ')}</p>`,
    '<h2>Findings</h2>',
    findings.length === 0 ? '<p>The records prove no fault.</p>' : findings.map(findingSection).join(''),
    '<h2>Resumes</h2>',
    ...plotsOf(steps, explained),
    explained.length === 0 ? '<p>No client tried to resume.</p>' : explained.slice(0, EXPLAINED_MAX).map(explanationSection).join(''),
    leftOut(explained.length, EXPLAINED_MAX, 'resumes'),
    '<h2>Records</h2>',
    '<div class="wide"><table><thead><tr><th>#</th><th>At</th><th>Session</th><th>Record</th><th>Generation</th><th>Retained</th></tr></thead><tbody>',
    ...steps.slice(0, STEPS_MAX).map(stepRow),
    '</tbody></table></div>',
    leftOut(steps.length, STEPS_MAX, 'records'),
    '</main></body></html>\n',
  ].join('\n');
}

const leftOut = (count: number, shown: number, what: string): string =>
  count > shown ? `<p class="small">${count - shown} more ${what} are in the bundle.</p>` : '';

function findingSection({ code, severity, blame, count, exact, message, next_step, index, consequences }: Finding): string {
  const told = consequences.map((consequence) => `<li>${html(consequence.message)}</li>`).join('');
  return [
    `<section class="card ${html(severity)}"><h3><code>${html(code)}</code> ${html(severity)}, ${html(blame)}, ${exact ? '' : 'at least '}${html(count)}</h3>`,
    `<p>${html(message)} <a href="#record-${index}">Record ${index}</a>.</p>`,
    told === '' ? '' : `<ul>${told}</ul>`,
    `<p class="small">${html(next_step)}</p></section>`,
  ].join('');
}

function explanationSection({ index, assessment, sentence, proof, firstIllegal, consequences }: Explanation): string {
  const rows = proof
    .filter(({ outcome }) => outcome === 'applies' || outcome === 'passes')
    .map(({ outcome, sentence: clause }) => `<li class="${html(outcome)}">${html(clause)}</li>`)
    .join('');
  return [
    `<section class="card ${html(assessment)}"><h3><a href="#record-${index}">Record ${index}</a> <code>${html(assessment)}</code></h3>`,
    `<p>${html(sentence)}</p>`,
    firstIllegal === null ? '' : `<p>${html(firstIllegal.sentence)}</p>`,
    consequences.length === 0 ? '' : `<ul>${consequences.map((text) => `<li>${html(text)}</li>`).join('')}</ul>`,
    rows === '' ? '' : `<details><summary>Proof</summary><ol>${rows}</ol></details>`,
    '</section>',
  ].join('');
}

/** One plot for each session in which a client tried to resume, the first few. */
function plotsOf(steps: readonly TimelineStep[], explained: readonly Explanation[]): string[] {
  const bySession = new Map<string, TimelineStep[]>();
  for (const step of steps) {
    const { session } = step.record as { session?: string | null };
    if (step.record.type === 'boot' || typeof session !== 'string') continue;
    const own = bySession.get(session);
    if (own === undefined) bySession.set(session, [step]);
    else own.push(step);
  }
  const resumed = [...bySession].filter(([, own]) => own.some(({ record }) => record.type === 'resume_attempt')).slice(0, PLOTS_MAX);
  return resumed.flatMap(([session, own]) => {
    const plot = plotOf(own, explained);
    return plot === null ? [] : [`<figure><figcaption>Session <code>${html(session.slice(0, 8))}</code></figcaption>${plot}</figure>`];
  });
}

const PLOTS_MAX = 6;

function stepRow({ index, at, record, state, findings }: TimelineStep): string {
  const { type, session, id: _id, at: _at, server: _server, ...members } = record as Record<string, unknown>;
  const text = JSON.stringify(members);
  const shown = text.length > 240 ? `${text.slice(0, 240)}…` : text;
  const retained = state.floor === null && state.head === null ? '' : `${state.floor ?? '?'} to ${state.head ?? '?'}`;
  return [
    `<tr id="record-${index}"${findings.length > 0 ? ' class="proves"' : ''}><td>${index}</td><td>${html(at ?? '')}</td>`,
    `<td><code>${html(typeof session === 'string' ? session.slice(0, 8) : '')}</code></td><td><b>${html(type)}</b> <code>${html(shown)}</code></td>`,
    `<td>${html(state.generation ?? '')}</td><td>${html(retained)}</td></tr>`,
  ].join('');
}
