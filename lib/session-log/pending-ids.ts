/**
 * The requests that wait for the answers of one stream, as one text: the JSON text of an id, or a JSON list of ids where a
 * batch brought several. Null where nothing waits.
 */
export function pendingText(ids: readonly string[]): string | null {
  const [only] = ids;
  if (only === undefined) return null;
  return ids.length === 1 ? only : `[${ids.join(',')}]`;
}

/** The ids that such a text names, each as JSON text. */
export function idsOf(pending: string | null): readonly string[] {
  if (pending === null) return [];
  if (!pending.startsWith('[')) return [pending];
  const ids: unknown = JSON.parse(pending);
  return Array.isArray(ids) ? ids.map((id) => JSON.stringify(id)) : [];
}
