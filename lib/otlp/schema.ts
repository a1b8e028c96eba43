import Type from 'typebox';

/**
 * What is read of OTLP's export requests, in the JSON form of opentelemetry-proto 1.x; the protobuf form is decoded into
 * the same shape. Members that nothing reads are let through, as OTLP asks of receivers.
 */
const open = { additionalProperties: true } as const;

const Nanos = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d{1,20}$' })], {
  description: 'nanoseconds since 1970, as a number or decimal text',
});
const KeyValue = Type.Object(
  { key: Type.String(), value: Type.Optional(Type.Unknown()) },
  { ...open, description: 'an attribute {key, value}' },
);
const Attributes = Type.Optional(Type.Array(KeyValue));
const Resource = Type.Optional(Type.Object({ attributes: Attributes }, open));
/** Hexadecimal text in JSON, bytes in protobuf. */
const TraceId = Type.Optional(Type.Unknown());

const LogRecord = Type.Object(
  {
    timeUnixNano: Type.Optional(Nanos),
    observedTimeUnixNano: Type.Optional(Nanos),
    attributes: Attributes,
    eventName: Type.Optional(Type.String()),
  },
  open,
);

const SpanEvent = Type.Object({ timeUnixNano: Type.Optional(Nanos), name: Type.Optional(Type.String()), attributes: Attributes }, open);

const Span = Type.Object(
  {
    traceId: TraceId,
    spanId: TraceId,
    name: Type.Optional(Type.String()),
    startTimeUnixNano: Type.Optional(Nanos),
    attributes: Attributes,
    events: Type.Optional(Type.Array(SpanEvent)),
  },
  open,
);

const ScopeLogs = Type.Object({ logRecords: Type.Optional(Type.Array(LogRecord)) }, open);
const ScopeSpans = Type.Object({ spans: Type.Optional(Type.Array(Span)) }, open);

export const LogsRequest = Type.Object(
  { resourceLogs: Type.Optional(Type.Array(Type.Object({ resource: Resource, scopeLogs: Type.Optional(Type.Array(ScopeLogs)) }, open))) },
  open,
);

export const TracesRequest = Type.Object(
  {
    resourceSpans: Type.Optional(Type.Array(Type.Object({ resource: Resource, scopeSpans: Type.Optional(Type.Array(ScopeSpans)) }, open))),
  },
  open,
);

export type KeyValue = Type.Static<typeof KeyValue>;
export type LogsRequest = Type.Static<typeof LogsRequest>;
export type TracesRequest = Type.Static<typeof TracesRequest>;
