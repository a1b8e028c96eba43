import { createHash, randomBytes } from 'node:crypto';

const LABEL = /^[A-Za-z0-9_-]{1,64}$/;
const SERIAL = /^(?:0|[1-9]\d{0,14})$/;

/** Place of an event as one of our own ids names it. */
export interface EventPlace {
  readonly generation: string;
  readonly streamSerial: number;
  readonly position: number;
}

/**
 * Mints and reads the ids of one session: `<session>.<generation>.<stream>.<position>`. The session part is a
 * hash, so that an id of another session is unknown here, and stays the same when the session is rebuilt, so
 * that an id of an earlier generation is recognised as one.
 */
export class EventIds {
  readonly #prefix: string;

  constructor(
    sessionId: string,
    readonly generation: string,
  ) {
    if (!LABEL.test(generation)) throw new TypeError('generation must be 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-"');
    this.#prefix = `${createHash('sha256').update(`tidemark event id\0${sessionId}`).digest('base64url').slice(0, 12)}.`;
  }

  mint(streamSerial: number, position: number): string {
    return `${this.#prefix}${this.generation}.${streamSerial}.${position}`;
  }

  /** Reads an id that this session minted in any generation; null for every other text. */
  read(eventId: string): EventPlace | null {
    if (!eventId.startsWith(this.#prefix)) return null;
    const generationEnd = eventId.indexOf('.', this.#prefix.length);
    const streamEnd = eventId.indexOf('.', generationEnd + 1);
    if (generationEnd < 0 || streamEnd < 0) return null;
    const generation = eventId.slice(this.#prefix.length, generationEnd);
    const [streamSerial, position] = [eventId.slice(generationEnd + 1, streamEnd), eventId.slice(streamEnd + 1)];
    if (!SERIAL.test(streamSerial) || !SERIAL.test(position)) return null;
    if (generation !== this.generation && !LABEL.test(generation)) return null;
    return { generation, streamSerial: Number(streamSerial), position: Number(position) };
  }
}

/** The position in an id that was minted here. */
export function positionOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('.') + 1));
}

/** A generation label that no other log instance has. */
export function newGeneration(): string {
  return `g${randomBytes(8).toString('hex')}`;
}
