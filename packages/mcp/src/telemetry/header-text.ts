/** Intakes read names up to this length. */
const NAME_LENGTH_MAX = 256;
/** What may be in a header and is printable, so that the intake takes it as a name too. */
const HEADER_TEXT = /^[\x20-\x7e\xa0-\xff]*$/;

/**
 * Checks an option that is sent in a header; over either transport, since one may stand in for the other.
 *
 * @throws TypeError that names the option and says what to do
 */
export function requireHeaderText(option: string, text: string): void {
  if (/[\r\n]/.test(text)) throw new TypeError(`${option} must not hold a line end; where it is read from a file, trim it first`);
  if (!HEADER_TEXT.test(text)) throw new TypeError(`${option} is sent in a header: give it in printable characters of Latin-1 only`);
}

/** Checks an option by which the intake knows this sender. @throws TypeError as `requireHeaderText` */
export function requireHeaderName(option: string, name: string): void {
  requireHeaderText(option, name);
  if (name === '' || name.length > NAME_LENGTH_MAX) throw new TypeError(`${option} must have 1 to ${NAME_LENGTH_MAX} characters`);
}
