import { getJson, type Params } from '@/components/api/get-json';
import { csvLines } from '@/components/table/csv';

/** Rows that one file holds at most; a longer list is cut, and the file's maker is told. */
export const EXPORT_ROWS_MAX = 100_000;
const PAGE = 1_000;

export type ExportFormat = 'csv' | 'json';

/** A list that can be taken away: where it is read, and what its columns are as comma-separated values. */
export interface ExportSource<T> {
  readonly path: string;
  readonly params: Params;
  readonly columns: readonly { readonly head: string; readonly value: (row: T) => string | number | null | undefined }[];
}

export interface ExportedFile {
  readonly blob: Blob;
  readonly rows: number;
  /** The list goes on beyond what the file holds. */
  readonly isCut: boolean;
}

/**
 * Reads a list page by page into one file; `onRows` is told how many rows were read so far. Throws `ApiFailure`
 * when a page cannot be read, and the abort of `signal`.
 */
export async function exportList<T>(
  source: ExportSource<T>,
  format: ExportFormat,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<ExportedFile> {
  const parts: string[] = [headOf(source, format)];
  let rows = 0;
  let cursor: string | null = null;
  do {
    const page: { readonly items: readonly T[]; readonly next: string | null } = await getJson(
      source.path,
      { ...source.params, limit: Math.min(PAGE, EXPORT_ROWS_MAX - rows), cursor },
      signal,
    );
    parts.push(linesOf(source, format, page.items, rows === 0));
    rows += page.items.length;
    cursor = page.items.length === 0 ? null : page.next;
    onRows(rows);
  } while (cursor !== null && rows < EXPORT_ROWS_MAX);
  if (format === 'json') parts.push('\n]\n');
  const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json';
  return { blob: new Blob(parts, { type }), rows, isCut: cursor !== null };
}

function headOf<T>({ columns }: ExportSource<T>, format: ExportFormat): string {
  return format === 'json' ? '[' : csvLines([columns.map(({ head }) => head)]);
}

function linesOf<T>({ columns }: ExportSource<T>, format: ExportFormat, items: readonly T[], isFirst: boolean): string {
  if (format === 'csv') return csvLines(items.map((item) => columns.map(({ value }) => value(item))));
  return items.map((item, index) => `${isFirst && index === 0 ? '' : ','}\n${JSON.stringify(item)}`).join('');
}
