/**
 * Text as a literal of SQL, whatever `standard_conforming_strings` is. The driver's own goes character by character,
 * which shows in texts of a megabyte.
 */
export function sqlLiteral(text: string): string {
  return `E'${text.replace(/['\\]/g, (char) => char + char)}'`;
}
