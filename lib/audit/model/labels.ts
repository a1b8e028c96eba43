/**
 * Positions as the server numbers them, against places in the order of emission. `pieces` are the points where
 * the numbering jumps; one piece means that the two differ by a constant.
 */
export interface Labels {
  pieces: { place: bigint; label: bigint }[];
  /** Some event had no number, or the numbering went back or jumped too often to be kept: numbers say nothing. */
  isUnusable: boolean;
}

const PIECES_MAX = 64;
const DECIMAL = /^(?:0|[1-9]\d{0,18})$/;

export const noLabels = (): Labels => ({ pieces: [], isUnusable: false });

/** The number an event carries: its position if reported, else its id where that is a plain integer. */
export function labelOf(position: bigint | null, text: string): bigint | null {
  return position ?? (DECIMAL.test(text) ? BigInt(text) : null);
}

export function addLabel(labels: Labels, place: bigint, label: bigint | null): void {
  if (labels.isUnusable) return;
  const tail = labels.pieces.at(-1);
  if (label === null || (tail !== undefined && label < tail.label + (place - tail.place))) {
    labels.isUnusable = true;
    labels.pieces = [];
    return;
  }
  if (tail !== undefined && label === tail.label + (place - tail.place)) return;
  if (labels.pieces.length === PIECES_MAX) labels.isUnusable = true;
  else labels.pieces.push({ place, label });
}

/** Constant difference between number and place, null when there is none. */
export function constantShift(labels: Labels): bigint | null {
  const [piece] = labels.pieces;
  return labels.isUnusable || piece === undefined || labels.pieces.length > 1 ? null : piece.label - piece.place;
}

/** Place of the first event numbered `label` or higher; null when numbers say nothing here. */
export function placeOfLabel(labels: Labels, label: bigint): bigint | null {
  if (labels.isUnusable) return null;
  for (let i = labels.pieces.length - 1; i >= 0; i--) {
    const piece = labels.pieces[i];
    if (piece === undefined || (piece.label > label && i > 0)) continue;
    const place = piece.place + label - piece.label;
    const next = labels.pieces[i + 1];
    return next !== undefined && place > next.place ? next.place : place;
  }
  return null;
}
