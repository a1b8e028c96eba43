const SLAB_BYTES_MIN = 4 * 1024;
const SLAB_BYTES_MAX = 64 * 1024;

/**
 * Places frames one behind the other in shared blocks of memory: an event kept for replay costs its bytes and no
 * object. A block is freed when no event refers to it any more, so at most one block more than needed is held.
 */
export class FrameSlabs {
  private slab = new Uint8Array(0);
  private used = 0;
  private nextBytes = SLAB_BYTES_MIN;
  /** Offset in its slab of the frame that was placed last. */
  offset = 0;

  /** Copies a frame; answers the block that holds it now, at `offset`. */
  place(frame: Uint8Array): Uint8Array {
    if (frame.length > this.slab.length - this.used) {
      if (frame.length > SLAB_BYTES_MAX / 4) {
        this.offset = 0;
        return frame.slice();
      }
      this.slab = new Uint8Array(Math.max(this.nextBytes, frame.length));
      this.used = 0;
      this.nextBytes = Math.min(2 * this.nextBytes, SLAB_BYTES_MAX);
    }
    this.slab.set(frame, this.used);
    this.offset = this.used;
    this.used += frame.length;
    return this.slab;
  }
}
