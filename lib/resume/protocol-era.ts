/** First protocol revision without resumption: it dropped event ids, `Last-Event-ID` and sessions. */
export const FIRST_REVISION_WITHOUT_RESUMPTION = '2026-07-28';

const REVISION = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Whether a request under this revision can resume at all. Revisions are ISO dates, so text order is date
 * order; an absent revision means 2025-03-26 to servers of that era, hence resumable. A text that is no
 * revision is no claim either.
 */
export function hasResumption(protocolVersion: string | null): boolean {
  if (protocolVersion === null || !REVISION.test(protocolVersion)) return true;
  return protocolVersion < FIRST_REVISION_WITHOUT_RESUMPTION;
}
