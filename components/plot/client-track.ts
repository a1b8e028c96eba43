import type { Step } from '@/components/api/timeline';
import type { ClientPoint } from '@/components/plot/plot-data';
import { parsePosition } from '@/lib/base/position';

/**
 * What the client holds, across its connections: it moves when frames are delivered, stays while it is away, and
 * ends with the generation, since a position of one numbering says nothing in another.
 */
export class ClientTrack {
  readonly lines: ClientPoint[][] = [];
  #line: ClientPoint[] = [];
  #known = new Map<string, bigint>();

  follow({ state, record }: Step, x: number): void {
    const now = new Map<string, bigint>();
    for (const [conn, value] of Object.entries(state.cursors)) {
      const position = parsePosition(value);
      if (position !== null) now.set(conn, position);
    }
    // A cursor that an attempt presents is what the client says, drawn as the attempt; delivery is what it got.
    const moved = record.type === 'resume_attempt' ? null : movedTo(this.#known, now);
    const last = this.#line.at(-1);
    const isAway = now.size === 0;
    if (moved !== null && moved !== last?.position) this.#line.push({ x, position: moved, isAway });
    else if (last !== undefined && last.isAway !== isAway) this.#line.push({ x, position: last.position, isAway });
    else this.#hold(x);
    this.#known = now;
  }

  /** Ends the line. */
  cut(): void {
    if (this.#line.length > 0) this.lines.push(this.#line);
    this.#line = [];
    this.#known = new Map();
  }

  /** Draws the line on to `x`: of points that only repeat the position, the newest is kept. */
  #hold(x: number): void {
    const last = this.#line.at(-1);
    const before = this.#line.at(-2);
    if (last === undefined) return;
    const next = { ...last, x };
    if (before !== undefined && before.position === last.position && before.isAway === last.isAway)
      this.#line[this.#line.length - 1] = next;
    else this.#line.push(next);
  }
}

/** The position of the connection that moved, null when none did. */
function movedTo(before: ReadonlyMap<string, bigint>, now: ReadonlyMap<string, bigint>): bigint | null {
  for (const [conn, position] of now) if (before.get(conn) !== position) return position;
  return null;
}
