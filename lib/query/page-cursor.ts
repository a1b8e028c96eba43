/** Place in a list that is sorted by (at, id), newest first; written as an opaque text. */
export interface PageCursor {
  readonly atMs: number;
  readonly id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const AT_MS_MAX = 8_640_000_000_000_000;

export function encodePageCursor({ atMs, id }: PageCursor): string {
  return Buffer.from(`${atMs}/${id}`).toString('base64url');
}

/** Reads a cursor that `encodePageCursor` wrote; null for any other text. */
export function decodePageCursor(text: string): PageCursor | null {
  const [at, id] = Buffer.from(text, 'base64url').toString('latin1').split('/', 2);
  if (at === undefined || id === undefined || !/^\d{1,16}$/.test(at) || !UUID.test(id)) return null;
  return Number(at) <= AT_MS_MAX ? { atMs: Number(at), id } : null;
}
