/** One event as it went over the wire. */
export interface WireEvent {
  /** Text of the event's own `id:` field; null when it had none. */
  readonly id: string | null;
  /** Digest of its data; null for empty data, or data too long to be read. */
  readonly digest: string | null;
}

const LINE_LENGTH_MAX = 4 * 1024 * 1024;

/**
 * Reads the events of a server-sent event stream from its bytes, split anywhere, without touching them. An
 * unfinished event at the end of the stream is no event. A line above 4 MiB is read as far as that.
 */
export class SseScanner {
  readonly #decoder = new TextDecoder();
  #line = '';
  #endsWithCr = false;
  #id: string | null = null;
  #data: string[] = [];
  #hasFields = false;

  constructor(private readonly digest: (data: string) => string) {}

  /** The events that these bytes complete, in order. */
  feed(bytes: Uint8Array | string): WireEvent[] {
    let text = typeof bytes === 'string' ? bytes : this.#decoder.decode(bytes, { stream: true });
    // A CR at the end of the last chunk was a whole line end; an LF now is its second half.
    if (this.#endsWithCr && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.#endsWithCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const events: WireEvent[] = [];
    for (const [index, piece] of lines.entries()) {
      if (this.#line.length < LINE_LENGTH_MAX) this.#line += piece;
      if (index === lines.length - 1) break;
      const event = this.#endLine(this.#line);
      this.#line = '';
      if (event !== null) events.push(event);
    }
    return events;
  }

  #endLine(line: string): WireEvent | null {
    if (line === '') return this.#endEvent();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else return null;
    this.#hasFields = true;
    return null;
  }

  #endEvent(): WireEvent | null {
    if (!this.#hasFields) return null;
    const data = this.#data.join('\n');
    const event = { id: this.#id, digest: data === '' || data.length >= LINE_LENGTH_MAX ? null : this.digest(data) };
    this.#id = null;
    this.#data = [];
    this.#hasFields = false;
    return event;
  }
}
