/**
 * Shortens an id in the middle and never changes its case: both ends tell ids apart. Text up to `longest`
 * characters stays whole.
 */
export function shortText(text: string, longest = 12): string {
  if (text.length <= longest) return text;
  const tail = Math.floor((longest - 1) / 2);
  return `${text.slice(0, longest - 1 - tail)}…${text.slice(text.length - tail)}`;
}
