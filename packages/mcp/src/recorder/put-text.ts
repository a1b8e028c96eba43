/** UTF-8 takes at most three bytes for one unit of a string. */
const BYTES_PER_UNIT_MAX = 3;
/** Up to here it costs less to write a text unit by unit than to call for it. */
const SHORT_LENGTH_MAX = 64;
const ASCII_MAX = 0x7f;

/** Bytes that suffice for a text. */
export function roomOf(text: string | Uint8Array | null): number {
  if (text === null) return 0;
  return typeof text === 'string' ? text.length * BYTES_PER_UNIT_MAX : text.length;
}

/** Writes a text as UTF-8 and answers where it ends; there must be room for it. */
export function putText(buffer: Buffer, text: string | Uint8Array, at: number): number {
  if (typeof text !== 'string') {
    buffer.set(text, at);
    return at + text.length;
  }
  if (text.length > SHORT_LENGTH_MAX || !putShort(buffer, text, at)) return at + buffer.write(text, at);
  return at + text.length;
}

function putShort(buffer: Buffer, text: string, at: number): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > ASCII_MAX) return false;
    buffer[at + index] = unit;
  }
  return true;
}
