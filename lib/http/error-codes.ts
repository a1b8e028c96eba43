/** Every code an API error can carry, with its status and what to do. Codes are stable; `docs/api.md` lists them all. */
export const ERROR_CODES = {
  malformed_json: { status: 400, nextStep: 'send valid JSON' },
  malformed_protobuf: { status: 400, nextStep: 'send an export request of OTLP as application/x-protobuf' },
  malformed_encoding: { status: 400, nextStep: 'send the body whole and, with content-encoding gzip, as valid gzip' },
  invalid_field: { status: 400, nextStep: 'correct the named field' },
  key_missing: { status: 401, nextStep: 'send a key as authorization: Bearer' },
  key_unknown: { status: 403, nextStep: 'send a key of the configuration file, or one made in the settings that still holds' },
  scope_missing: { status: 403, nextStep: 'use a key with that scope' },
  host_not_allowed: { status: 403, nextStep: 'address the server by its loopback name, or start it with TIDEMARK_AUTH=on' },
  cross_origin: { status: 403, nextStep: 'send the request from the origin of the server itself' },
  not_found: { status: 404, nextStep: 'see /api/openapi.json for what there is' },
  method_not_allowed: { status: 405, nextStep: 'use a method that the allow header names' },
  provisioned: { status: 409, nextStep: 'change it in the file that TIDEMARK_CONFIG names, and start again' },
  request_timeout: { status: 408, nextStep: 'send the request whole and without pause' },
  body_too_large: { status: 413, nextStep: 'send smaller batches' },
  batch_too_large: { status: 413, nextStep: 'send smaller batches' },
  unsupported_media_type: { status: 415, nextStep: 'send one of the content types that the route takes' },
  unsupported_encoding: { status: 415, nextStep: 'send content-encoding gzip, or none' },
  upgrade_required: { status: 426, nextStep: 'open the path as a WebSocket' },
  intake_full: { status: 429, nextStep: 'send again after the seconds that retry-after names' },
  internal: { status: 500, nextStep: 'see the log of the server' },
  database_unavailable: {
    status: 503,
    nextStep: 'send again after the seconds that retry-after names; records with an id are stored once',
  },
  shutting_down: { status: 503, nextStep: 'send again when the server is back' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
