import { measureOf } from '@/lib/alerting/measures';
import type { Rule } from '@/lib/alerting/rule';

interface Wording {
  /** What is happening, as the subject of a sentence about a server. */
  readonly what: string;
  readonly nextStep: string;
}

const WORDING: Readonly<Record<string, Wording>> = {
  unsafe_resume: {
    what: 'Clients are being resumed across missing events without being told',
    nextStep: 'Open the proof, then refuse such cursors in the server or put the route into enforce mode.',
  },
  correct: { what: 'Attempts are answered as the rules say', nextStep: 'Nothing is wrong with them; look at why the rule watches them.' },
  attempts: { what: 'Clients resume unusually often or seldom', nextStep: 'Find out what makes them reconnect, or keeps them from it.' },
  bad_replay: { what: 'Replays leave out or repeat events', nextStep: 'Compare the replayed range with the log in the proof.' },
  over_refusal: {
    what: 'Healthy clients are refused although their events are retained',
    nextStep: 'Check the floor rule of the server, or put the route back into shadow mode.',
  },
  wrong_status: { what: 'Refusals carry the wrong HTTP status', nextStep: 'Answer with the status that the proof names.' },
  resume_unavailable: {
    what: 'Clients come back too late and are refused',
    nextStep: 'Retain more events, or find out why clients stay away that long.',
  },
  lead_to_floor: {
    what: 'Cursors are about to fall below the oldest retained event',
    nextStep: 'Retain more events before the next reconnect turns into a loss.',
  },
  blind: {
    what: 'Telemetry is missing',
    nextStep: 'Find the producer that drops records or loses batches; until then every count is at least what it says.',
  },
  unverifiable: { what: 'Resume attempts cannot be judged', nextStep: 'Report the missing facts that the attempts name.' },
  telemetry_stopped: { what: 'Telemetry has stopped', nextStep: 'Check that the server is up and that its exporter reaches Tidemark.' },
  gap: { what: 'Events were never sent to clients that waited for them', nextStep: 'Open the proof: it names the events and the clause.' },
  cross_generation_replay: {
    what: 'Clients are resumed into another numbering of their session',
    nextStep: 'Refuse cursors of a former generation in the server, or put the route into enforce mode.',
  },
  lost_response: {
    what: 'Answers to calls are being lost',
    nextStep: 'Treat the outcome of the named calls as unknown before running them again.',
  },
  cross_session_replay: {
    what: "One session's events are replayed into another",
    nextStep: 'Stop resumption on this server: it discloses data. Scope replay to the session of the request.',
  },
  possible_duplicate_execution: {
    what: 'Calls may have been executed twice',
    nextStep: 'Check the side effects of the named calls; make the tools idempotent.',
  },
  id_reused: { what: 'Event ids are issued again with other content', nextStep: 'Start a new generation when the log is rebuilt.' },
  reconnect_loop: { what: 'Clients reconnect in a loop', nextStep: 'Answer the cursor with a refusal that the client understands.' },
  proxy_breaker: {
    what: 'The proxy switched a route from enforcement to shadow, because its refusals did harm',
    nextStep: 'Look at the refusals of the route, correct its floor or buffer, and switch it back by hand.',
  },
  disguised_refusal: { what: 'Refusals are served as success', nextStep: 'Answer 409 with the reason in the body.' },
};

/** Words for what a rule watches. */
export function wordingOf(rule: Pick<Rule, 'measure'>): Wording {
  const base = measureOf(rule.measure)?.base ?? rule.measure;
  return (
    WORDING[base] ?? {
      what: `Finding ${base} is being proved`,
      nextStep: `Open the proof; the page of ${base} in the docs says how to confirm and how to fix it.`,
    }
  );
}

/** The condition of a rule as one readable line. */
export function conditionOf(rule: Pick<Rule, 'measure' | 'op' | 'threshold' | 'windowMs' | 'forMs'>): string {
  const lasting = rule.forMs === 0 ? '' : `, for ${rule.forMs / 1000} s`;
  return `${rule.measure} ${rule.op} ${rule.threshold} within ${rule.windowMs / 1000} s${lasting}`;
}
