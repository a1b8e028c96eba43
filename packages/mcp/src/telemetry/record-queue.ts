/** A bounded queue of records in their JSON text. When full it turns away what comes, so that order is kept. */
export class RecordQueue {
  #lines: string[] = [];
  #start = 0;
  #bytes = 0;

  constructor(
    readonly maxRecords: number,
    readonly maxBytes: number,
  ) {}

  get size(): number {
    return this.#lines.length - this.#start;
  }

  /** Takes the record, or answers false when that would pass a bound. */
  push(line: string): boolean {
    if (this.size >= this.maxRecords || this.#bytes + line.length > this.maxBytes) return false;
    this.#lines.push(line);
    this.#bytes += line.length;
    return true;
  }

  /** Removes and returns the oldest records within both bounds; at least one when there is one. */
  take(maxRecords: number, maxBytes: number): string[] {
    const batch: string[] = [];
    let bytes = 0;
    while (batch.length < maxRecords) {
      const line = this.#lines[this.#start];
      if (line === undefined || (batch.length > 0 && bytes + line.length > maxBytes)) break;
      batch.push(line);
      bytes += line.length;
      this.#start += 1;
    }
    this.#bytes -= bytes;
    if (this.#start * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#start);
      this.#start = 0;
    }
    return batch;
  }
}
