/** Why the embedded database cannot be used; listed with its remedy in docs/operations.md. */
export type EmbeddedPostgresCode =
  | 'postgres_binaries_missing'
  | 'postgres_data_dir_busy'
  | 'postgres_data_dir_owner'
  | 'postgres_version_mismatch'
  | 'postgres_init_failed'
  | 'postgres_start_failed'
  | 'postgres_orphan_stuck';

/** A failure of the embedded database: `code` is stable, `nextStep` says what an operator does about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(
    readonly code: EmbeddedPostgresCode,
    message: string,
    readonly nextStep: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
