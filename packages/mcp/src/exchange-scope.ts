import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReplayReport } from './attempt-record.js';

/** What a store tells the guard of the HTTP exchange it works for, so that one attempt gives one record. */
export interface ExchangeScope {
  replay: ReplayReport | null;
  /** Stream of the first event that was stored for this exchange. */
  stream: string | null;
}

export const exchangeScope = new AsyncLocalStorage<ExchangeScope>();
