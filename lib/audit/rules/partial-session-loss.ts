import type { Rule } from '@/lib/audit/rule';

/** Failures in a row of one upstream that make a loss of its part of the session. */
const FAILURES_FROM = 3;
const PROOF_MAX = 16;
const UPSTREAMS_MAX = 256;

/** One upstream behind a joint session fails for good while the others work. */
export const partialSessionLoss: Rule = {
  code: 'partial_session_loss',
  requested: ({ record, session, index, isSuccess }, report) => {
    const { upstream, status } = record;
    if (upstream === undefined || status === undefined || status === null || session.token === null) return;
    let state = session.upstreams.get(upstream);
    if (state === undefined) {
      if (session.upstreams.size >= UPSTREAMS_MAX) return;
      state = { failures: 0, firstIndex: index, records: [], hadSuccess: false };
      session.upstreams.set(upstream, state);
    }
    if (isSuccess) {
      state.failures = 0;
      state.records = [];
      state.hadSuccess = true;
      session.upstreamSuccessIndex = index;
      tellFailing(upstream, index);
      return;
    }
    if (status < 500 && status !== 404) return;
    if (state.failures === 0) state.firstIndex = index;
    state.failures++;
    if (state.records.length < PROOF_MAX) state.records.push(index);
    tellFailing(null, index);

    function tellFailing(working: string | null, at: number): void {
      for (const [name, other] of session.upstreams) {
        if (name === working || other.failures < FAILURES_FROM || !other.hadSuccess) continue;
        if (session.upstreamSuccessIndex <= other.firstIndex) continue;
        report({
          index: at,
          count: 1,
          server: session.server,
          session: session.token,
          stream: null,
          records: other.records,
          key: `${name} ${other.firstIndex}`,
          message: `${other.failures} calls in a row to upstream ${name} failed while other upstreams of the session answered.`,
        });
      }
    }
  },
};
