import { FINDINGS } from '@/lib/audit/catalogue';
import type { Finding, FindingCode } from '@/lib/audit/finding';
import type { AuditedFile } from '@/lib/audit/report/audited-file';
import { printable } from '@/lib/audit/report/text';

/** JUnit XML: a suite per file, a case per code, a failure per code with findings that `fails`. */
export function junitReport(files: readonly AuditedFile[], fails: (finding: Finding) => boolean): string {
  const suites = files.map((file) => suiteOf(file, fails));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tidemark audit">\n${suites.join('')}</testsuites>\n`;
}

function suiteOf({ name, answer, lineOf }: AuditedFile, fails: (finding: Finding) => boolean): string {
  const codes = Object.keys(FINDINGS) as FindingCode[];
  let failures = 0;
  const cases = codes.map((code) => {
    const found = answer.findings.filter((finding) => finding.code === code);
    const failing = found.filter(fails);
    if (failing.length > 0) failures++;
    return caseOf(code, found, failing, lineOf);
  });
  return `  <testsuite name="${escapeXml(name)}" tests="${codes.length}" failures="${failures}" errors="0" skipped="0">\n${cases.join('')}  </testsuite>\n`;
}

function caseOf(code: FindingCode, found: readonly Finding[], failing: readonly Finding[], lineOf: (index: number) => number): string {
  const open = `    <testcase classname="tidemark.audit" name="${code}"`;
  if (found.length === 0) return `${open}/>\n`;
  const text = found.map((finding) => `line ${lineOf(finding.index)}: ${finding.message}`).join('\n');
  if (failing.length === 0) return `${open}>\n      <system-out>${escapeXml(text)}</system-out>\n    </testcase>\n`;
  const title = `${FINDINGS[code].title}: ${failing.length}`;
  return `${open}>\n      <failure message="${escapeXml(title)}" type="${code}">${escapeXml(text)}</failure>\n    </testcase>\n`;
}

function escapeXml(text: string): string {
  return text
    .split('\n')
    .map(printable)
    .join('\n')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}
