import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReplayReport } from './attempt-record.js';
import type { RpcId } from './ledger/stream-call.js';

/** What a store tells the guard of the HTTP exchange it works for, so that one attempt gives one record. */
export interface ExchangeScope {
  replay: ReplayReport | null;
  /** Stream of the first event that was stored for this exchange. */
  stream: string | null;
  /** The one request that this exchange was sent for; null where there is none, or more than one. */
  readonly requestId: RpcId | null;
}

export const exchangeScope = new AsyncLocalStorage<ExchangeScope>();
