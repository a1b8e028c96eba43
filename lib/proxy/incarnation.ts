/** Which process of an upstream is the present one, counted as they come. */
export interface Incarnation {
  readonly current: number;
  /** The latest that began for certain; what began since then is in doubt. */
  readonly certain: number;
}

/** The incarnation of an upstream as all replicas together know it. */
export interface SharedIncarnation {
  /**
   * The present one, once everything that this replica saw is told.
   *
   * @throws StoreUnavailable where that cannot be known now
   */
  read(): Promise<Incarnation>;
  /** Another process began, or may have. Settles when all replicas can know; while they cannot, `read` rejects. */
  began(isCertain: boolean): Promise<void>;
}
