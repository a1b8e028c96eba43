interface CodeEntry {
  readonly status: number;
  readonly nextStep: string;
  /** Seconds after which the same may succeed, where nothing better is known; absent where asking again does not help. */
  readonly retryAfterS?: number;
}

/** Every code an API error can carry, with its status and what to do. Codes are stable; `docs/errors.md` lists them all. */
export const ERROR_CODES = {
  malformed_json: { status: 400, nextStep: 'send valid JSON' },
  malformed_protobuf: { status: 400, nextStep: 'send an export request of OTLP as application/x-protobuf' },
  malformed_encoding: { status: 400, nextStep: 'send the body whole and, with content-encoding gzip, as valid gzip' },
  invalid_field: { status: 400, nextStep: 'correct the named field' },
  bundle_truncated: { status: 400, nextStep: 'download the bundle again' },
  bundle_malformed: { status: 400, nextStep: 'use the file as it was exported' },
  bundle_version_unsupported: { status: 400, nextStep: 'import it into an install that reads that version' },
  bundle_edited: { status: 400, nextStep: 'use the file as it was exported, or remove content_sha256 to import it as your own' },
  bundle_invalid: { status: 400, nextStep: 'mend the named member, or export the bundle again' },
  bundle_too_deep: { status: 400, nextStep: 'use the file as it was exported' },
  key_missing: { status: 401, nextStep: 'sign in, or send a key as authorization: Bearer' },
  session_over: { status: 401, nextStep: 'sign in again' },
  sign_in_refused: { status: 401, nextStep: 'try again, or ask an administrator for a link that sets a new password' },
  key_unknown: { status: 403, nextStep: 'send a key of the configuration file, or one made in the settings that still holds' },
  scope_missing: { status: 403, nextStep: 'use a key with that scope, or ask an administrator for the role' },
  host_not_allowed: { status: 403, nextStep: 'address the server by its loopback name, or start it with TIDEMARK_AUTH=on' },
  cross_origin: { status: 403, nextStep: 'send the request from the origin of the server itself' },
  not_found: { status: 404, nextStep: 'see /api/openapi.json for what there is' },
  method_not_allowed: { status: 405, nextStep: 'use a method that the allow header names' },
  link_invalid: { status: 404, nextStep: 'ask for a new link: each works once and for a limited time' },
  provider_missing: { status: 409, nextStep: 'name one under sign_in.oidc in the file of TIDEMARK_CONFIG' },
  access_off: { status: 409, nextStep: 'start the server with TIDEMARK_AUTH=on' },
  member_exists: { status: 409, nextStep: 'sign in, or use another e-mail address' },
  last_admin: { status: 409, nextStep: 'make another member an administrator first' },
  project_exists: { status: 409, nextStep: 'choose another name, or restore the archived project of this one' },
  project_in_use: { status: 409, nextStep: 'revoke its keys first' },
  provisioned: { status: 409, nextStep: 'change it in the file that TIDEMARK_CONFIG names, and start again' },
  confirmation_needed: { status: 409, nextStep: 'send it again with "confirm": true if that may go' },
  incident_conflict: { status: 409, nextStep: 'read the incident again: it is not in a state for this' },
  request_timeout: { status: 408, nextStep: 'send the request whole and without pause' },
  body_too_large: { status: 413, nextStep: 'send smaller batches' },
  bundle_too_large: { status: 413, nextStep: 'export fewer sessions' },
  batch_too_large: { status: 413, nextStep: 'send smaller batches' },
  unsupported_media_type: { status: 415, nextStep: 'send one of the content types that the route takes' },
  unsupported_encoding: { status: 415, nextStep: 'send content-encoding gzip, or none' },
  upgrade_required: { status: 426, nextStep: 'open the path as a WebSocket' },
  sign_in_limited: { status: 429, retryAfterS: 1, nextStep: 'wait for the seconds that retry-after names' },
  busy: { status: 429, retryAfterS: 2, nextStep: 'send again after the seconds that retry-after names' },
  intake_full: { status: 429, retryAfterS: 1, nextStep: 'send again after the seconds that retry-after names' },
  internal: { status: 500, nextStep: 'see the log of the server' },
  replay_failed: { status: 502, nextStep: 'check that the target runs and lets the replay in, and try again' },
  database_unavailable: {
    status: 503,
    retryAfterS: 1,
    nextStep: 'send again after the seconds that retry-after names; records with an id are stored once',
  },
  session_log_unavailable: {
    status: 503,
    retryAfterS: 2,
    nextStep: 'send again after the seconds that retry-after names, and check REDIS_URL',
  },
  provider_unreachable: { status: 503, retryAfterS: 5, nextStep: 'try again, or sign in by password' },
  job_timeout: { status: 503, nextStep: 'ask about fewer records or a shorter period' },
  job_called_off: { status: 503, retryAfterS: 1, nextStep: 'send again' },
  database_read_only: {
    status: 503,
    retryAfterS: 5,
    nextStep: 'send again after the seconds that retry-after names; if it stays, let DATABASE_URL lead to the primary and give it space',
  },
  disk_full: { status: 503, retryAfterS: 5, nextStep: 'make space on the disk of the database; records are taken again by themselves' },
  shutting_down: { status: 503, retryAfterS: 1, nextStep: 'send again when the server is back' },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** What is known of a code. */
export const entryOf = (code: ErrorCode): CodeEntry => ERROR_CODES[code];
