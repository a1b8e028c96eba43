import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Audit, createAudit, restoreAudit } from '@/lib/audit/audit';
import type { AuditedResume, Finding } from '@/lib/audit/finding';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { randomFrom } from '@/tests/audit/random';
import { Schedule } from '@/tests/audit/schedule';

interface History {
  readonly case: string;
  readonly records: readonly TelemetryRecord[];
}

const histories = readdirSync('tests/histories')
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(`tests/histories/${name}`, 'utf8')) as History[]);

const keyOf = ({ code, server, session, stream, conn, index }: Finding): string => [code, server, session, stream, conn, index].join(' ');
const told = (findings: Iterable<Finding>): string[] =>
  [...findings].map((finding) => `${keyOf(finding)} ${finding.count} ${finding.severity} ${finding.message}`).sort();
const judged = (resumes: Iterable<AuditedResume>): string[] =>
  [...resumes].map(({ index, assessment, decision, left_out }) => `${index} ${assessment} ${decision?.reason} ${left_out}`).sort();

/** Audits as a follower does: bit by bit, written down and read back in between, settled at the end. */
function follow(records: readonly TelemetryRecord[], everySo: number): { findings: Finding[]; resumes: AuditedResume[] } {
  const findings = new Map<string, Finding>();
  const resumes = new Map<number, AuditedResume>();
  const sessions = new Map<string, [string, string | null]>();
  const take = (found: readonly Finding[], attempts: readonly AuditedResume[]): void => {
    for (const finding of found) findings.set(keyOf(finding), finding);
    for (const resume of attempts) resumes.set(resume.index, resume);
  };
  let audit: Audit = createAudit();
  for (const [index, record] of records.entries()) {
    audit.push(record, index);
    const session = record.session === undefined ? 'S1' : record.session;
    sessions.set(`${record.server} ${session}`, [record.server ?? 'default', session]);
    if (index % everySo !== 0) continue;
    take(audit.drainFindings(), audit.drainResumes());
    audit = restoreAudit(audit.snapshot());
  }
  take(audit.drainFindings(), audit.drainResumes());
  for (const [server, session] of sessions.values()) {
    const { findings: found, resumes: attempts } = audit.settleSession(server, session, null);
    take(found, attempts);
  }
  for (const server of new Set([...sessions.values()].map(([name]) => name))) take(audit.settleServer(server, null), []);
  return { findings: [...findings.values()], resumes: [...resumes.values()] };
}

function whole(records: readonly TelemetryRecord[]): { findings: readonly Finding[]; resumes: readonly AuditedResume[] } {
  const audit = createAudit();
  for (const [index, record] of records.entries()) audit.push(record, index);
  return audit.finish();
}

describe('an audit taken apart', () => {
  test.each(histories.map((history) => [history.case, history.records] as const))('%s says what the whole one says', (_case, records) => {
    const { findings, resumes } = whole(records);
    for (const everySo of [1, 3]) {
      const followed = follow(records, everySo);
      expect(told(followed.findings)).toEqual(told(findings));
      expect(judged(followed.resumes)).toEqual(judged(resumes));
    }
  });

  test('so it is for any schedule', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), fc.integer({ min: 5, max: 80 }), fc.integer({ min: 1, max: 9 }), (seed, steps, everySo) => {
        const { records } = new Schedule(randomFrom(seed), steps);
        const audited = records as readonly TelemetryRecord[];
        const { findings, resumes } = whole(audited);
        const followed = follow(audited, everySo);
        expect(told(followed.findings)).toEqual(told(findings));
        expect(judged(followed.resumes)).toEqual(judged(resumes));
      }),
      { numRuns: 100, seed: 20261130 },
    );
  });

  test('a session that is forgotten leaves nothing behind that speaks of it', () => {
    const audit = createAudit();
    audit.push({ type: 'open', session: 'a', conn: 'c1', method: 'GET', status: 200 }, 0);
    audit.forgetSession('default', 'a');
    expect(audit.settleSession('default', 'a', null)).toEqual({ findings: [], resumes: [] });
    expect(audit.finish()).toEqual({ findings: [], resumes: [] });
  });
});
