import type { TelemetryProblem } from './stats.js';

/** Tells of a problem. Never throws. */
export type Teller = (problem: TelemetryProblem) => void;

/**
 * The one way to a listener, whoever has something to tell. The listener belongs to the server: its own failure, at
 * once or later, must not stop telemetry, nor the other way round.
 */
export function tellerOf(listener: (problem: TelemetryProblem) => unknown): Teller {
  return (problem) => {
    try {
      const told = listener(problem);
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // What the listener throws is lost with it.
    }
  };
}
