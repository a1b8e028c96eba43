import type { IncomingMessage } from 'node:http';
import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import type { Answer, Call, Route } from '@/lib/http/route';
import type { Intake } from '@/lib/intake/intake';
import type { IntakeResult } from '@/lib/intake/submission';
import { encodeMessage } from '@/lib/otlp/protobuf';
import { type Export, type ExportProblem, readExport } from '@/lib/otlp/read-export';
import { LogsRequest, TracesRequest } from '@/lib/otlp/schema';
import { BATCH_BYTES_MAX, INTAKE_ERRORS } from '@/server/api/telemetry-route';

const PROTOBUF = 'application/x-protobuf';
/** Rejections that the answer spells out; the others are counted. */
const TOLD_MAX = 5;

const Partial = (count: string) =>
  Type.Object({ partialSuccess: Type.Optional(Type.Object({ [count]: Type.String(), errorMessage: Type.String() })) });

/** Codes of google.rpc.Status, which OTLP asks for in the body of a refusal. */
const STATUS_CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 408: 4, 413: 8, 415: 3, 429: 8, 500: 13, 503: 14 };

/** OTLP/HTTP for telemetry in `tidemark.*` attributes (docs/otlp.md). */
export function otlpRoutes(intake: Intake): Route[] {
  return [
    route(intake, { kind: 'logs', path: '/v1/logs', schema: LogsRequest, count: 'rejectedLogRecords' }),
    route(intake, { kind: 'traces', path: '/v1/traces', schema: TracesRequest, count: 'rejectedSpans' }),
  ];
}

interface Door {
  readonly kind: 'logs' | 'traces';
  readonly path: string;
  readonly schema: typeof LogsRequest | typeof TracesRequest;
  /** Name of the count of rejections in JSON. */
  readonly count: string;
}

function route(intake: Intake, { kind, path, schema, count }: Door): Route {
  return {
    method: 'POST',
    path,
    summary: `OTLP/HTTP: stores the telemetry in exported ${kind}; answers after the commit`,
    scope: 'ingest',
    body: { 'application/json': schema, [PROTOBUF]: Type.String({ format: 'binary' }) },
    bodyBytesMax: BATCH_BYTES_MAX,
    answers: { 200: Partial(count) },
    errors: ['malformed_protobuf', ...INTAKE_ERRORS],
    handle: store,
    refusal,
  };

  async function store(call: Call): Promise<Answer> {
    const body = await call.body();
    const isProtobuf = body.mediaType === PROTOBUF;
    const read = readExport(kind, isProtobuf ? { protobuf: body.bytes } : { json: body.text });
    if (!read.ok) throw exportError(read.error);
    const partial = partialSuccess(read.value, await intake.submit(read.value.records, call.caller));
    if (isProtobuf) return { status: 200, mediaType: PROTOBUF, body: encodeMessage('ExportResponse', { partialSuccess: partial }) };
    if (partial === undefined) return { status: 200, body: {} };
    return { status: 200, body: { partialSuccess: { [count]: String(partial.rejected), errorMessage: partial.errorMessage } } };
  }
}

function exportError({ code, path, message }: ExportProblem): HttpError {
  return path === '' ? new HttpError(code, message) : new HttpError(code, `${path} ${message}`, { path });
}

/** Absent when everything was stored; with a count of zero it is a warning, as OTLP defines it. */
function partialSuccess({ units, strangers }: Export, { rejected }: IntakeResult): { rejected: number; errorMessage: string } | undefined {
  if (rejected.length === 0 && strangers === 0) return undefined;
  const refused = new Set(rejected.map(({ index }) => units[index]));
  const told = rejected.slice(0, TOLD_MAX).map(({ index, path, message }) => `${units[index]}: ${path} ${message}`.replace(':  ', ': '));
  if (rejected.length > TOLD_MAX) told.push(`and ${rejected.length - TOLD_MAX} more`);
  if (strangers > 0) told.push(`${strangers} without tidemark.type were not stored`);
  return { rejected: refused.size, errorMessage: told.join('; ') };
}

/** A refusal in the encoding of the request, as google.rpc.Status; in JSON with our own coded error beside it. */
function refusal(request: IncomingMessage, { status, code, message, body, headers }: HttpError): Answer {
  const rpc = { code: STATUS_CODES[status] ?? 2, message: `${code}: ${message}` };
  if (request.headers['content-type']?.startsWith(PROTOBUF) === true) {
    return { status, headers, mediaType: PROTOBUF, body: encodeMessage('Status', rpc) };
  }
  return { status, headers, body: { ...rpc, ...body } };
}
