/** Bytes that are being gathered, of bodies or of unfinished events, over a whole process. Where it is spent, nothing more is gathered. */
export class BodyBudget {
  private held = 0;

  constructor(private readonly bytesMax: number) {}

  take(bytes: number): boolean {
    if (this.held + bytes > this.bytesMax) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}
