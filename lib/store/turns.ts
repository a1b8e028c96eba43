/** A place in a row: `mine` resolves when everybody before has passed. */
export interface Turn {
  readonly mine: Promise<void>;
  /** Lets the next one go; passing twice does nothing. */
  readonly pass: () => void;
}

/** Hands out turns in the order in which they are asked for, so that work done side by side begins in that order. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  take(): Turn {
    let pass: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    const mine = this.#last;
    // Whoever gives up before its turn came must not let others overtake those before it.
    this.#last = mine.then(() => passed);
    return { mine, pass };
  }
}
