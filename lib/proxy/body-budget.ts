/** Bytes of bodies that are being gathered, over all requests of a process. Where it is spent, bodies flow. */
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
