import { parseJsonExactly } from '@/lib/base/json';
import { err, ok, type Result } from '@/lib/base/result';
import { BUNDLE_LIMITS, BUNDLE_VERSION, type Bundle, type BundleHashes, BundleIncident, incidentValidator } from '@/lib/bundle/bundle';
import { contentText } from '@/lib/bundle/export-bundle';
import { holdsRoundedInteger } from '@/lib/bundle/rounded-integers';
import { scanText } from '@/lib/bundle/scan-text';
import { decodeRecord } from '@/lib/wire/decode-record';
import { firstProblem } from '@/lib/wire/field-problem';
import type { TelemetryRecord } from '@/lib/wire/schema';

export type BundleProblemCode =
  | 'bundle_too_large'
  | 'bundle_too_deep'
  | 'bundle_truncated'
  | 'bundle_malformed'
  | 'bundle_version_unsupported'
  | 'bundle_invalid'
  | 'bundle_edited';

/** Why a bundle was refused: `path` names the member, or the offset in the text as `offset 1042`. */
export interface BundleProblem {
  readonly code: BundleProblemCode;
  readonly path: string;
  readonly message: string;
  readonly next_step: string;
}

type Read<T> = Result<T, BundleProblem>;

/**
 * Reads a bundle, or the bare form `{title, records}`. Either all of it is returned or nothing: a text that is
 * cut short, edited, of another version, or beyond the limits is refused with the place and the reason. Never
 * throws. A bundle written by hand carries no content hash and none is asked of it; one that is there must hold.
 *
 * Session tokens become references. Only a text with a content hash was exported by an install and holds references
 * already; a token of 32 hexadecimal digits looks like one, so that anything else is hashed whatever it looks like.
 */
export function importBundle(text: string, hashes: BundleHashes): Read<Bundle> {
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  const value = parsed.value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return invalid('', 'must be an object');
  const members = value as Record<string, unknown>;
  const version = members['tidemark_bundle'];
  if (version !== undefined && version !== BUNDLE_VERSION) return foreignVersion(version);
  const incident = readIncident(
    version === undefined ? { title: members['title'] } : members['incident'],
    version === undefined ? '' : 'incident',
  );
  if (!incident.ok) return incident;
  const records = readRecords(members['records']);
  if (!records.ok) return records;
  const told = version === undefined ? undefined : members['content_sha256'];
  if (told !== undefined && told !== hashes.sha256(contentText({ incident: incident.value, records: records.value }))) return edited();
  const isExported = told !== undefined;
  return ok({ incident: incident.value, records: records.value.map((record) => withReference(record, isExported, hashes.sessionRef)) });
}

function parseText(text: string): Read<unknown> {
  if (text.length > BUNDLE_LIMITS.characters) {
    return refuse(
      'bundle_too_large',
      `offset ${BUNDLE_LIMITS.characters}`,
      `is longer than ${BUNDLE_LIMITS.characters} characters`,
      'Export fewer sessions.',
    );
  }
  const scan = scanText(text, BUNDLE_LIMITS.depth);
  if (scan.tooDeepAt !== null) {
    return refuse(
      'bundle_too_deep',
      `offset ${scan.tooDeepAt}`,
      `nests deeper than ${BUNDLE_LIMITS.depth}`,
      'Use the file as it was exported.',
    );
  }
  if (scan.isCutShort) {
    return refuse('bundle_truncated', `offset ${text.length}`, 'ends before its last bracket', 'Download the bundle again.');
  }
  try {
    const value: unknown = JSON.parse(text);
    return ok(holdsRoundedInteger(value) ? parseJsonExactly(text) : value);
  } catch (error) {
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return refuse('bundle_malformed', at === undefined ? '' : `offset ${at}`, 'is not JSON', 'Use the file as it was exported.');
  }
}

function readIncident(value: unknown, path: string): Read<BundleIncident> {
  if (incidentValidator.Check(value)) return ok(value);
  const problem = firstProblem(incidentValidator, BundleIncident, value);
  return invalid([path, problem.path].filter((part) => part !== '').join('.'), problem.message);
}

function readRecords(value: unknown): Read<TelemetryRecord[]> {
  if (!Array.isArray(value)) return invalid('records', value === undefined ? 'is required' : 'must be an array of records');
  if (value.length > BUNDLE_LIMITS.records) return invalid('records', `must be at most ${BUNDLE_LIMITS.records} records`);
  const records: TelemetryRecord[] = [];
  for (const [index, item] of value.entries()) {
    const decoded = decodeRecord(item);
    if (!decoded.ok) return invalid(`records[${index}]${decoded.error.path === '' ? '' : `.${decoded.error.path}`}`, decoded.error.message);
    records.push(decoded.value);
  }
  return ok(records);
}

/** A record that names no session is of the default one, save a boot, which is of none. */
function withReference(record: TelemetryRecord, isExported: boolean, sessionRef: BundleHashes['sessionRef']): TelemetryRecord {
  const token = record.session === undefined && record.type !== 'boot' ? DEFAULT_SESSION : record.session;
  if (typeof token !== 'string' || (isExported && isReference(token))) return record;
  return { ...record, session: sessionRef(record.server ?? DEFAULT_SERVER, token) };
}

const DEFAULT_SERVER = 'default';
const DEFAULT_SESSION = 'S1';

const isReference = (session: string): boolean => /^[0-9a-f]{32}$/.test(session);

const edited = (): Read<never> =>
  refuse(
    'bundle_edited',
    'content_sha256',
    'does not match the incident and the records',
    'Use the file as it was exported, or remove content_sha256 to import it as your own.',
  );

function foreignVersion(version: unknown): Read<never> {
  const told = typeof version === 'number' || typeof version === 'string' ? String(version).slice(0, 40) : typeof version;
  return refuse(
    'bundle_version_unsupported',
    'tidemark_bundle',
    `is version ${told}, this install reads ${BUNDLE_VERSION}`,
    'Import it into an install that reads that version.',
  );
}

const invalid = (path: string, message: string): Read<never> =>
  refuse('bundle_invalid', path, message, 'Mend the named member, or export the bundle again.');

function refuse(code: BundleProblemCode, path: string, message: string, nextStep: string): Read<never> {
  return err({ code, path, message, next_step: nextStep });
}
