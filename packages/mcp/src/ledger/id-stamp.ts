import { EventIds, type EventPlace } from '../log/event-id.js';

const SEPARATOR = '~';

/** Puts a session's generation in front of the ids of a store whose own ids do not tell it. */
export class IdStamp {
  readonly #ids: EventIds;

  constructor(token: string, generation: string) {
    this.#ids = new EventIds(token, generation);
  }

  /** The id as it goes over the wire: `<session>.<generation>.0.<position>~<id of the store>`. */
  put(innerId: string, position: number): string {
    return `${this.#ids.mint(0, position)}${SEPARATOR}${innerId}`;
  }

  /** Reads a stamp of this session, of any generation; null for a text that was never issued here. */
  read(wireId: string): (EventPlace & { readonly innerId: string }) | null {
    const at = wireId.indexOf(SEPARATOR);
    const place = at < 0 ? null : this.#ids.read(wireId.slice(0, at));
    return place === null ? null : { ...place, innerId: wireId.slice(at + 1) };
  }
}
