/** An event to be written by ourselves; everything relayed keeps its own bytes. */
export interface WrittenEvent {
  readonly id: string;
  /** One line of JSON. */
  readonly data: string;
}

/**
 * The text of one `message` event.
 *
 * @throws TypeError when the id or the data holds a line end or a NUL, which would forge fields or lose the id.
 */
export function writeEvent({ id, data }: WrittenEvent): string {
  if (/[\r\n\0]/.test(id)) throw new TypeError('an event id must not hold CR, LF or NUL');
  if (/[\r\n]/.test(data)) throw new TypeError('event data must be one line');
  return `event: message\nid: ${id}\ndata: ${data}\n\n`;
}

/** A comment: keeps connections and intermediaries awake, invisible to every client. */
export const KEEP_ALIVE_COMMENT = ':\n\n';
