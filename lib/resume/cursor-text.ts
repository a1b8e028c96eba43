/** Longest `Last-Event-ID` that can be a cursor, in bytes (contract section 2, row 5). */
export const CURSOR_BYTES_MAX = 1024;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Whether the text can be a cursor at all: ASCII, no control character, within the length bound. */
export function isCursorText(text: string | null): boolean {
  return text !== null && text.length <= CURSOR_BYTES_MAX && PRINTABLE_ASCII.test(text);
}
