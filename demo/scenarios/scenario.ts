import type { ClientIdentity } from '../clients/mcp-client';

/** What every scenario is given. */
export interface DemoContext {
  /** Where Tidemark listens. */
  readonly url: string;
  readonly key: string | undefined;
  /** Prints one plain line. */
  readonly say: (line: string) => void;
  /** Aborted when the demo is over. */
  readonly signal: AbortSignal;
}

/** A server that runs, with clients that come and go. */
export interface Scenario {
  readonly name: string;
  /** One round of traffic; called again and again until the demo is over. */
  round(index: number): Promise<void>;
  close(): Promise<void>;
}

const IDENTITIES: readonly ClientIdentity[] = [
  { sdk: 'v1', name: 'desk-assistant', version: '1.4.0' },
  { sdk: 'v2', name: 'code-editor', version: '2.1.3' },
  { sdk: 'v1', name: 'batch-runner', version: '0.9.12' },
  { sdk: 'v2', name: 'mobile-chat', version: '3.0.1' },
  { sdk: 'v1', name: 'desk-assistant', version: '1.3.7' },
];

/** A client of another name, version and SDK line for every round. */
export function identityFor(round: number): ClientIdentity {
  const identity = IDENTITIES[round % IDENTITIES.length];
  return identity ?? { sdk: 'v1', name: 'desk-assistant', version: '1.4.0' };
}

/** Waits, or returns early when the demo is over. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
