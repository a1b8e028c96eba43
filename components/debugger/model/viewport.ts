/** The stretch of the clock that is seen. */
export interface Viewport {
  readonly fromX: number;
  readonly toX: number;
}

const SPAN_MIN = 2;

/** Air at both ends of the whole, so that the first and the last record can be seen. */
const AIR = 0.03;

/** The viewport that shows everything. */
export function wholeOf({ fromX, toX }: Viewport): Viewport {
  const air = Math.max(1, (toX - fromX) * AIR);
  return { fromX: fromX - air, toX: toX + air };
}

/** The viewport that shows a stretch of the whole, with air at both ends. */
export function fitting(stretch: Viewport, whole: Viewport): Viewport {
  return within(wholeOf(stretch), wholeOf(whole));
}

/** Zooms by `factor` (below 1: closer) around `atX`, which stays where it is on the screen. */
export function zoomed(view: Viewport, factor: number, atX: number, whole: Viewport): Viewport {
  const bounds = wholeOf(whole);
  const span = Math.min(Math.max(SPAN_MIN, (view.toX - view.fromX) * factor), bounds.toX - bounds.fromX);
  const share = (atX - view.fromX) / (view.toX - view.fromX);
  return within({ fromX: atX - span * share, toX: atX - span * share + span }, bounds);
}

/** Moves by `share` of what is seen. */
export function panned(view: Viewport, share: number, whole: Viewport): Viewport {
  const by = (view.toX - view.fromX) * share;
  return within({ fromX: view.fromX + by, toX: view.toX + by }, wholeOf(whole));
}

/** The viewport moved, no farther than needed, so that `x` is seen with a little room on both sides. */
export function following(view: Viewport, x: number, whole: Viewport): Viewport {
  const span = view.toX - view.fromX;
  const room = span * 0.08;
  if (x >= view.fromX + room && x <= view.toX - room) return view;
  const fromX = x < view.fromX + room ? x - room : x + room - span;
  return within({ fromX, toX: fromX + span }, wholeOf(whole));
}

/** Whether the viewport shows everything, so that it need not be told in the URL. */
export function isWhole(view: Viewport, whole: Viewport): boolean {
  const bounds = wholeOf(whole);
  return view.fromX <= bounds.fromX && view.toX >= bounds.toX;
}

/** A viewport as it stands in the URL: offsets from the beginning of the history, `1200~5600`. */
export function viewText(view: Viewport, whole: Viewport): string | null {
  if (isWhole(view, whole)) return null;
  return `${Math.round(view.fromX - whole.fromX)}~${Math.round(view.toX - whole.fromX)}`;
}

/** Reads `viewText` back; everything where the text says nothing that can be shown. */
export function readView(text: string | null, whole: Viewport): Viewport {
  const [, from, to] = /^(-?\d{1,15})~(-?\d{1,15})$/.exec(text ?? '') ?? [];
  const view = { fromX: whole.fromX + Number(from), toX: whole.fromX + Number(to) };
  const isUsable = from !== undefined && to !== undefined && view.toX - view.fromX >= 1;
  return isUsable ? within(view, wholeOf(whole)) : wholeOf(whole);
}

/** Moves a viewport into its bounds, and shortens it where it is longer. */
function within(view: Viewport, bounds: Viewport): Viewport {
  const span = Math.min(view.toX - view.fromX, bounds.toX - bounds.fromX);
  const fromX = Math.min(Math.max(view.fromX, bounds.fromX), bounds.toX - span);
  return { fromX, toX: fromX + span };
}
