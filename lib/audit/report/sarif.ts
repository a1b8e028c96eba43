import { FINDINGS, pageOf } from '@/lib/audit/catalogue';
import type { FindingCode, Severity } from '@/lib/audit/finding';
import type { AuditedFile } from '@/lib/audit/report/audited-file';

const LEVELS: Readonly<Record<Severity, string>> = { info: 'note', warning: 'warning', error: 'error', critical: 'error' };

/** SARIF 2.1.0: every finding a result at the line of its record, every code a rule with its page. */
export function sarifReport(files: readonly AuditedFile[], version: string): string {
  const codes = Object.keys(FINDINGS) as FindingCode[];
  const rules = codes.map((code) => ({
    id: code,
    shortDescription: { text: FINDINGS[code].title },
    fullDescription: { text: `Broken rule: ${FINDINGS[code].clause}.` },
    help: { text: `${FINDINGS[code].nextStep} See ${pageOf(code)}.` },
    defaultConfiguration: { level: LEVELS[FINDINGS[code].severity] },
  }));
  const results = files.flatMap(({ name, answer, lineOf }) => {
    const place = (index: number) => ({
      physicalLocation: { artifactLocation: { uri: uriOf(name) }, region: { startLine: lineOf(index) } },
    });
    return answer.findings.map((finding) => ({
      ruleId: finding.code,
      ruleIndex: codes.indexOf(finding.code),
      level: LEVELS[finding.severity],
      message: { text: finding.message },
      locations: [place(finding.index)],
      relatedLocations: finding.records.map((index, id) => ({ id, ...place(index) })),
      properties: {
        blame: finding.blame,
        count: finding.count,
        exact: finding.exact,
        session: finding.session,
        stream: finding.stream,
        conn: finding.conn,
      },
    }));
  });
  const run = { tool: { driver: { name: 'tidemark', version, rules } }, results };
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** A file name as a relative URI; each part is encoded, the slashes stay. */
const uriOf = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
