import { stableJson } from '@/lib/base/json';
import { BUNDLE_VERSION, type Bundle, type BundleHashes } from '@/lib/bundle/bundle';
import { spellRoundedIntegers } from '@/lib/bundle/rounded-integers';

/**
 * The bundle as text, one record a line. Equal incidents and records give equal bytes, whatever the order of
 * their members; exporting an imported bundle gives the bytes that were imported.
 *
 * The caller's sessions are references already: records leave the store as it holds them.
 */
export function exportBundle({ incident, records }: Bundle, { sha256 }: Pick<BundleHashes, 'sha256'>): string {
  const body = contentText({ incident, records });
  return `{"content_sha256":"${sha256(body)}",${body},"tidemark_bundle":${BUNDLE_VERSION}}\n`;
}

/** The members that the content hash covers, as they stand in the text. */
export function contentText({ incident, records }: Bundle): string {
  const lines = records.map((record) => `\n${stableJson(spellRoundedIntegers(record))}`);
  return `"incident":${stableJson(spellRoundedIntegers(incident))},"records":[${lines.join(',')}\n]`;
}
