import { FINDINGS } from '@/lib/audit/catalogue';
import type { Finding, FindingCode } from '@/lib/audit/finding';
import type { AuditState, GrowingFinding } from '@/lib/audit/model/state';
import type { Draft, Report } from '@/lib/audit/rule';
import { encodePosition } from '@/lib/base/position';

const PROOF_MAX = 16;
/** Growing findings that are remembered; beyond it an old one would come again as new. */
const GROWING_MAX = 65_536;

/** Where rules hand in what they found. A finding that grows keeps the place of its first proof. */
export class FindingDesk {
  readonly #state: AuditState;
  readonly #reports = new Map<FindingCode, Report>();

  constructor(state: AuditState) {
    this.#state = state;
  }

  reportFor(code: FindingCode): Report {
    let report = this.#reports.get(code);
    if (report === undefined) {
      report = (draft) => this.#add(code, draft);
      this.#reports.set(code, report);
    }
    return report;
  }

  take(): Finding[] {
    const taken = [...this.#state.findings.values()];
    this.#state.findings.clear();
    return taken;
  }

  #add(code: FindingCode, draft: Draft): void {
    const key = draft.key === undefined ? null : `${code}\u0000${draft.server}\u0000${draft.session}\u0000${draft.key}`;
    const former = key === null ? undefined : this.#state.growing.get(key);
    const finding = complete(code, draft, former);
    if (key !== null) {
      this.#state.growing.set(key, { index: finding.index, conn: finding.conn, records: finding.records });
      if (this.#state.growing.size > GROWING_MAX) {
        const [oldest] = this.#state.growing.keys();
        if (oldest !== undefined) this.#state.growing.delete(oldest);
      }
    }
    this.#state.findings.set(key ?? `#${this.#state.made++}`, finding);
  }

  /** A desk for what the end of the history proves: it leaves the state as it is. */
  provisional(): { reportFor: (code: FindingCode) => Report; over: (proved: readonly Finding[]) => Finding[] } {
    const added: Finding[] = [];
    return {
      reportFor: (code) => (draft) => {
        const key = draft.key === undefined ? null : `${code}\u0000${draft.server}\u0000${draft.session}\u0000${draft.key}`;
        const former = key === null ? undefined : this.#state.growing.get(key);
        added.push(complete(code, draft, former));
      },
      over: (proved) => [...proved.filter((finding) => !added.some((newer) => isSame(finding, newer))), ...added],
    };
  }
}

function isSame(a: Finding, b: Finding): boolean {
  return a.code === b.code && a.index === b.index && a.session === b.session && a.stream === b.stream && a.conn === b.conn;
}

/** A grown finding keeps the place and connection of its first proof, so that it can be told from a new one. */
function complete(code: FindingCode, draft: Draft, former: GrowingFinding | undefined): Finding {
  const page = FINDINGS[code];
  const records = [...new Set([...(former?.records ?? []), ...(draft.records ?? [draft.index])])].sort((a, b) => a - b).slice(0, PROOF_MAX);
  return {
    code,
    severity: draft.severity ?? page.severity,
    blame: draft.blame ?? page.blame,
    count: encodePosition(BigInt(draft.count)),
    exact: draft.exact ?? true,
    server: draft.server,
    session: draft.session,
    stream: draft.stream ?? null,
    conn: former === undefined ? (draft.conn ?? null) : former.conn,
    index: former?.index ?? draft.index,
    first: draft.first ?? null,
    last: draft.last ?? null,
    message: draft.message,
    next_step: page.nextStep,
    records,
    consequences: draft.consequences ?? [],
  };
}
