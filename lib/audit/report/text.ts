import { pageOf } from '@/lib/audit/catalogue';
import { type Finding, SEVERITIES } from '@/lib/audit/finding';
import type { AuditedFile } from '@/lib/audit/report/audited-file';

/** The findings in words, worst first, for a terminal. Control characters of ids and names are shown escaped. */
export function textReport(files: readonly AuditedFile[]): string {
  return files.map(describeFile).join('\n');
}

function describeFile({ name, records, answer, lineOf }: AuditedFile): string {
  const { findings, resumes } = answer;
  const head = `${printable(name)}: ${records} records, ${resumes.length} resumes, ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}\n`;
  const worstFirst = [...findings].sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || a.index - b.index);
  return head + worstFirst.map((finding) => describeFinding(finding, lineOf)).join('');
}

function describeFinding(finding: Finding, lineOf: (index: number) => number): string {
  const count = `${finding.exact ? '' : 'at least '}${finding.count}`;
  const lines = [
    `  ${finding.severity.toUpperCase()} ${finding.code} (${finding.blame}, ${count}) at line ${lineOf(finding.index)}`,
    `    ${printable(finding.message)}`,
    ...finding.consequences.map((consequence) => `    Consequence: ${printable(consequence.message)}`),
    `    Next: ${finding.next_step}`,
    `    Proof: lines ${finding.records.map(lineOf).join(', ')}; see ${pageOf(finding.code)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Text of the outside as it may be printed: no control characters, none that turns the writing direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
