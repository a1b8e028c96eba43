import Type from 'typebox';

/**
 * JSON Schemas of the telemetry records (contract section 4). The same values validate the intake and stand in
 * the OpenAPI document. Unknown members are allowed everywhere: they are kept aside, never an error.
 */
const TEXT_LENGTH_MAX = 1024;
/** Ids of one record; a longer run of numbered events is sent as a `range`. */
const IDS_PER_RECORD_MAX = 1_000_000;
const RANGES_PER_RECORD_MAX = 100_000;

const open = { additionalProperties: true } as const;

export const Position = Type.Union(
  [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ pattern: '^(0|[1-9][0-9]{0,18})$' })],
  {
    description: 'a position: an integer 0 … 2^63−1, as a number up to 2^53−1 and as a decimal string beyond',
  },
);
export const NullablePosition = Type.Union([Type.Null(), Position], { description: 'a position or null' });

export const RangeList = Type.Array(Type.Tuple([Position, Position], { description: 'a pair [first, last] of positions' }), {
  maxItems: RANGES_PER_RECORD_MAX,
  description: 'sorted, disjoint ranges [first, last]',
});

/** Text that names something: a server, a stream, a node. No control characters, so that it can be shown and stored. */
const Name = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'a name of 1 to 256 characters without control characters',
});
/** Opaque text kept byte for byte: event ids, cursors, tokens. */
const Opaque = Type.String({ maxLength: TEXT_LENGTH_MAX * 8, description: 'text, at most 8,192 characters' });

export const Generation = Type.Union([Type.Integer(), Name], { description: 'an integer or a label' });
const NullableGeneration = Type.Union([Type.Null(), Type.Integer(), Name], { description: 'an integer, a label or null' });

const Instant = Type.Union(
  [
    Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 }),
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$' }),
  ],
  { description: 'an instant: RFC 3339 text or epoch milliseconds' },
);

export const literals = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description: `one of ${values.join(', ')}` },
    ),
  );

const Status = Type.Union([Type.Null(), Type.Integer({ minimum: 100, maximum: 999 })], { description: 'an HTTP status or null' });
const Code = Type.Union([Type.Null(), Type.Integer()], { description: 'a JSON-RPC error code or null' });
const RpcId = Type.Union([Type.Null(), Type.Number(), Opaque], { description: 'a JSON-RPC id' });
const Digest = Type.String({ maxLength: 256, description: 'a keyed digest' });
const EventId = Type.Union([Opaque, Type.Integer()], { description: 'an event id' });
const EventIdList = Type.Array(EventId, { maxItems: IDS_PER_RECORD_MAX, description: 'event ids, at most 1,000,000' });
const EventRange = Type.Tuple([Position, Position], { description: 'a pair [first, last] of positions' });
const Conn = Type.String({ minLength: 1, maxLength: 256, description: 'a connection name' });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'a count' });
const Milliseconds = Type.Number({ minimum: 0, description: 'milliseconds' });
const Rpc = Type.Object(
  {
    type: Type.Optional(literals(['request', 'response', 'notification', 'error'])),
    method: Type.Optional(Opaque),
    id: Type.Optional(RpcId),
    progress_token: Type.Optional(RpcId),
  },
  { ...open, description: 'what the JSON-RPC message was, never its body' },
);

const common = {
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
      description: 'a UUID, the idempotency key',
    }),
  ),
  at: Type.Optional(Instant),
  server: Type.Optional(Name),
  node: Type.Optional(Name),
  session: Type.Optional(
    Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX })], {
      description: 'a session token of 1 to 1,024 characters, or null',
    }),
  ),
  generation: Type.Optional(NullableGeneration),
  stream: Type.Optional(Name),
  protocol_version: Type.Optional(Type.Union([Type.Null(), Type.String({ maxLength: 64 })], { description: 'a protocol revision' })),
  dropped_before: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'records that the sender dropped right before this one; of a numbered batch its own count is taken instead',
    }),
  ),
  withheld_before: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'records of this session that the sender kept back for good right before this one: they are no loss, and nothing is known of them',
    }),
  ),
  withheld_after: Type.Optional(
    Type.Boolean({ description: 'the sender keeps back what follows in this session, until a record says how much of it for good' }),
  ),
};

export const SERVER_VERDICTS = ['resumed', 'refused', 'fresh', 'failed'] as const;
export const SESSION_STATES = ['live', 'evicted', 'superseded', 'unknown'] as const;
export const FLOOR_RULES = ['successor', 'retained'] as const;

export const ResumeAttempt = Type.Object(
  {
    type: Type.Literal('resume_attempt'),
    ...common,
    conn: Type.Optional(Conn),
    last_event_id: Type.Optional(Type.Union([Type.Null(), Opaque], { description: 'the Last-Event-ID text as sent, or null' })),
    cursor: Type.Optional(NullablePosition),
    requested_generation: Type.Optional(NullableGeneration),
    session_state: Type.Optional(literals(SESSION_STATES)),
    floor: Type.Optional(NullablePosition),
    head: Type.Optional(NullablePosition),
    holes: Type.Optional(RangeList),
    reused: Type.Optional(RangeList),
    covered_from: Type.Optional(NullablePosition),
    verdict: literals(SERVER_VERDICTS),
    reason: Type.Optional(Type.Union([Type.Null(), Name])),
    status: Type.Optional(Status),
    code: Type.Optional(Code),
    replayed: Type.Optional(
      Type.Union(
        [
          Type.Null(),
          Type.Object(
            {
              count: Count,
              first: Type.Optional(Type.Union([Type.Null(), EventId])),
              last: Type.Optional(Type.Union([Type.Null(), EventId])),
            },
            open,
          ),
        ],
        { description: 'what was replayed: {count, first, last}' },
      ),
    ),
    latency_ms: Type.Optional(Milliseconds),
    client: Type.Optional(Type.Object({ name: Type.Optional(Name), version: Type.Optional(Name) }, open)),
    policy: Type.Optional(Type.Object({ floor: Type.Optional(literals(FLOOR_RULES)) }, open)),
  },
  open,
);

const Boot = Type.Object({ type: Type.Literal('boot'), ...common }, open);

const Session = Type.Object(
  {
    type: Type.Literal('session'),
    ...common,
    event: literals(['created', 'ended', 'evicted', 'superseded', 'restored']),
    ttl_ms: Type.Optional(Milliseconds),
    head: Type.Optional(NullablePosition),
    principal: Type.Optional(Type.Union([Type.Null(), Digest])),
  },
  open,
);

const Emit = Type.Object(
  {
    type: Type.Literal('emit'),
    ...common,
    event_id: Type.Optional(EventId),
    event_ids: Type.Optional(EventIdList),
    range: Type.Optional(EventRange),
    position: Type.Optional(NullablePosition),
    kind: Type.Optional(literals(['message', 'priming'])),
    rpc: Type.Optional(Rpc),
    digest: Type.Optional(Type.Union([Type.Null(), Digest])),
    digests: Type.Optional(Type.Array(Type.Union([Type.Null(), Digest]), { maxItems: IDS_PER_RECORD_MAX })),
    bytes: Type.Optional(Count),
    to: Type.Optional(literals(['all', 'other'])),
  },
  open,
);

const Evict = Type.Object(
  {
    type: Type.Literal('evict'),
    ...common,
    floor: Type.Optional(Type.Union([Type.Null(), EventId])),
    event_ids: Type.Optional(EventIdList),
    cause: Type.Optional(literals(['count', 'bytes', 'age', 'memory', 'stream_end', 'restart'])),
  },
  open,
);

const Open = Type.Object(
  {
    type: Type.Literal('open'),
    ...common,
    conn: Type.Optional(Conn),
    method: Type.Optional(literals(['GET', 'POST'])),
    rpc_id: Type.Optional(RpcId),
    status: Type.Optional(Status),
    code: Type.Optional(Code),
  },
  open,
);

const Deliver = Type.Object(
  {
    type: Type.Literal('deliver'),
    ...common,
    conn: Type.Optional(Conn),
    event_ids: Type.Optional(EventIdList),
    range: Type.Optional(EventRange),
    digests: Type.Optional(Type.Array(Type.Union([Type.Null(), Digest]), { maxItems: IDS_PER_RECORD_MAX })),
    without_id: Type.Optional(Type.Boolean()),
  },
  open,
);

const Close = Type.Object(
  {
    type: Type.Literal('close'),
    ...common,
    conn: Type.Optional(Conn),
    by: Type.Optional(literals(['client', 'server', 'network', 'superseded'])),
  },
  open,
);

const Request = Type.Object(
  {
    type: Type.Literal('request'),
    ...common,
    conn: Type.Optional(Conn),
    rpc: Type.Optional(Rpc),
    tool: Type.Optional(Opaque),
    args_digest: Type.Optional(Digest),
    idempotent: Type.Optional(Type.Boolean()),
    status: Type.Optional(Status),
    code: Type.Optional(Code),
    content_type: Type.Optional(Type.Union([Type.Null(), Opaque])),
    upstream: Type.Optional(Name),
  },
  open,
);

const Client = Type.Object(
  {
    type: Type.Literal('client'),
    ...common,
    conn: Type.Optional(Conn),
    event: literals(['applied', 'discarded', 'reported_error', 'connected']),
    event_ids: Type.Optional(EventIdList),
    rpc: Type.Optional(Rpc),
    code: Type.Optional(Code),
  },
  open,
);

/** Every record type of the contract with its schema; the registry that decoding and the OpenAPI document read. */
export const RECORD_SCHEMAS = {
  resume_attempt: ResumeAttempt,
  boot: Boot,
  session: Session,
  emit: Emit,
  evict: Evict,
  open: Open,
  deliver: Deliver,
  close: Close,
  request: Request,
  client: Client,
} as const;

export type RecordType = keyof typeof RECORD_SCHEMAS;
export type RecordOf<T extends RecordType> = Type.Static<(typeof RECORD_SCHEMAS)[T]>;
/** One telemetry record, validated, members as the wire had them (positions in their JSON form). */
export type TelemetryRecord = { [T in RecordType]: RecordOf<T> }[RecordType];
export type ResumeAttemptRecord = RecordOf<'resume_attempt'>;
