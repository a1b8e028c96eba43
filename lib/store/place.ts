/** Records of one transaction of the intake; more than a batch may have. */
const RECORDS_PER_BATCH = 2 ** 20;

/**
 * Place of a record among all that was stored: it rises with the number of its transaction and with its number
 * therein. Exact as a JavaScript number up to 8,589,934,592 transactions.
 */
export function placeOf(batch: number, index: number): number {
  return batch * RECORDS_PER_BATCH + index;
}

/** First place that a transaction may have given. */
export function firstPlaceOf(batch: number): number {
  return batch * RECORDS_PER_BATCH;
}
