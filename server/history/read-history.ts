import { SEVERITIES } from '@/lib/audit/finding';
import type { BundleHashes } from '@/lib/bundle/bundle';
import { importBundle } from '@/lib/bundle/import-bundle';
import { HttpError } from '@/lib/http/http-error';
import { INCIDENT_STATES } from '@/lib/incidents/answer-schema';
import { incidentOfHistory, worstOf } from '@/lib/incidents/of-history';
import { encodeIncident } from '@/lib/incidents/text';
import type { IncidentToImport } from '@/lib/store/incident-import';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { auditOf } from '@/server/history/audit-of';

/**
 * Reads a bundle or a bare history and lays it out for storage. All of it, or a refusal with the place and reason.
 *
 * @throws HttpError with a code of the bundle.
 */
export function readHistory(text: string, hashes: BundleHashes): Omit<IncidentToImport, 'id' | 'importedAt'> {
  const read = importBundle(text, hashes);
  if (!read.ok) {
    const { code, path, message, next_step: nextStep } = read.error;
    throw new HttpError(code, path === '' ? message : `${path} ${message}`, { path, nextStep });
  }
  const { incident, records } = read.value;
  const { findings, resumes } = auditOf(records);
  const server = incident.server ?? records.find((record) => record.server !== undefined)?.server ?? 'default';
  const instants = records.flatMap((record) => instantOf(record) ?? []);
  const told = incident.opened_at === undefined ? null : storable(Date.parse(incident.opened_at));
  const sessions = [...new Set(records.flatMap(({ session }) => session ?? []))];
  const last = instants.reduce<number | null>((newest, at) => (newest === null || at > newest ? at : newest), null);
  const openedAt = told ?? instants[0] ?? null;
  const machine = incidentOfHistory(findings, {
    server,
    openedAt: openedAt ?? 0,
    lastEvidenceAt: last ?? openedAt ?? 0,
    sessions,
    unsafe: resumes.filter(({ assessment }) => assessment === 'unsafe_resume').length,
  });
  return {
    server: shown(server),
    cause: machine?.cause ?? null,
    title: shown(incident.title),
    state: INCIDENT_STATES.find((state) => state === incident.state) ?? 'open',
    severity: SEVERITIES.find((severity) => severity === incident.severity) ?? machine?.severity ?? worstOf(findings),
    openedAt,
    lastEvidenceAt: last,
    machine: machine === null ? null : encodeIncident(machine),
    content: JSON.stringify(incident),
    findings: JSON.stringify(findings),
    sessions,
    records: records.map((record) => ({ session: record.session ?? null, body: JSON.stringify(record) })),
  };
}

function instantOf({ at }: TelemetryRecord): number | null {
  if (at === undefined) return null;
  return storable(typeof at === 'number' ? at : Date.parse(at));
}

/** Postgres and RFC 3339 agree on these years. */
const storable = (ms: number): number | null => (ms >= 0 && ms < 253_402_300_800_000 ? ms : null);

/** Postgres keeps no NUL in a text; the bundle's own copy does, escaped. */
const shown = (text: string): string => text.replaceAll('\0', '\ufffd');
