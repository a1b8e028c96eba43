import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import type { AuditedResume, Finding } from '@/lib/audit/finding';

interface History {
  case: string;
  title: string;
  records: { session?: string | null }[];
  expect: {
    resumes?: (Record<string, unknown> & { index: number })[];
    findings?: (Record<string, unknown> & { code: string })[];
    absent?: string[];
  };
}

/** Recorded cases, and rows on both sides of each boundary that the definitions draw. */
const histories = ['../../tests/histories/', '../../tests/audit/boundaries/']
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.sort().flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as History[]);
  });

describe('recorded histories', () => {
  test('there are histories to hold the audit against', () => {
    expect(histories.length).toBeGreaterThan(80);
  });

  test.each(histories.map((history) => [history.case, history.title, history] as const))('%s %s', (_case, _title, history) => {
    const answer = auditRecords(history.records);
    if (!answer.ok) throw new Error(`${answer.error.index} ${answer.error.path} ${answer.error.message}`);
    const { resumes, findings } = answer.value;
    for (const wanted of history.expect.resumes ?? []) {
      const found = resumes.filter((resume) => resume.index === wanted.index);
      expect(found).toHaveLength(1);
      expect(found.map((resume) => pick(flat(resume), wanted))).toEqual([wanted]);
    }
    for (const wanted of history.expect.findings ?? []) {
      const candidates = findings.filter((finding) => finding.code === wanted.code).map((finding) => pick(labelled(finding), wanted));
      expect(candidates, `${wanted.code} among ${findings.map((finding) => finding.code).join(', ')}`).toContainEqual(wanted);
    }
    const told = findings.map((finding) => finding.code as string);
    expect(told.filter((code) => history.expect.absent?.includes(code))).toEqual([]);
  });
});

function flat(resume: AuditedResume): Record<string, unknown> {
  const { decision } = resume;
  return {
    index: resume.index,
    verdict: decision?.verdict,
    reason: decision?.reason,
    status: decision?.status,
    replay_count: decision?.replay?.count ?? 0,
    gap_count: decision?.gap?.count ?? 0,
    assessment: resume.assessment,
  };
}

const labelled = (finding: Finding): Record<string, unknown> => ({ ...finding });

/** Only the members that are asked for, so that a difference shows them alone. */
function pick(value: Record<string, unknown>, wanted: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, value[key]]));
}
