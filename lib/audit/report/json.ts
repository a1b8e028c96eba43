import type { AuditedFile } from '@/lib/audit/report/audited-file';

/** The audit's answers as one JSON document; a file's findings carry the line of the record that proved them. */
export function jsonReport(files: readonly AuditedFile[]): string {
  const value = files.map(({ name, records, answer, lineOf }) => ({
    file: name,
    records,
    resumes: answer.resumes,
    findings: answer.findings.map((finding) => ({ ...finding, line: lineOf(finding.index) })),
  }));
  return `${JSON.stringify({ files: value }, null, 2)}\n`;
}
