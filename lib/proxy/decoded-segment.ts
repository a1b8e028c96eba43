/** A segment of a path without its percent-encoding; null where the encoding is broken. */
export function decodedSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
