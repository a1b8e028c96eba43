import protobuf from 'protobufjs/light.js';

/**
 * The messages of opentelemetry-proto 1.x as far as they are read or written here, by their field numbers; a
 * decoder skips all other fields.
 */
const MESSAGES = {
  AnyValue: {
    oneofs: { value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue', 'bytesValue'] } },
    fields: {
      stringValue: { type: 'string', id: 1 },
      boolValue: { type: 'bool', id: 2 },
      intValue: { type: 'int64', id: 3 },
      doubleValue: { type: 'double', id: 4 },
      arrayValue: { type: 'ArrayValue', id: 5 },
      kvlistValue: { type: 'KeyValueList', id: 6 },
      bytesValue: { type: 'bytes', id: 7 },
    },
  },
  ArrayValue: { fields: { values: { rule: 'repeated', type: 'AnyValue', id: 1 } } },
  KeyValueList: { fields: { values: { rule: 'repeated', type: 'KeyValue', id: 1 } } },
  KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
  Resource: { fields: { attributes: { rule: 'repeated', type: 'KeyValue', id: 1 } } },
  LogRecord: {
    fields: {
      timeUnixNano: { type: 'fixed64', id: 1 },
      attributes: { rule: 'repeated', type: 'KeyValue', id: 6 },
      observedTimeUnixNano: { type: 'fixed64', id: 11 },
      eventName: { type: 'string', id: 12 },
    },
  },
  ScopeLogs: { fields: { logRecords: { rule: 'repeated', type: 'LogRecord', id: 2 } } },
  ResourceLogs: { fields: { resource: { type: 'Resource', id: 1 }, scopeLogs: { rule: 'repeated', type: 'ScopeLogs', id: 2 } } },
  LogsRequest: { fields: { resourceLogs: { rule: 'repeated', type: 'ResourceLogs', id: 1 } } },
  SpanEvent: {
    fields: {
      timeUnixNano: { type: 'fixed64', id: 1 },
      name: { type: 'string', id: 2 },
      attributes: { rule: 'repeated', type: 'KeyValue', id: 3 },
    },
  },
  Span: {
    fields: {
      traceId: { type: 'bytes', id: 1 },
      spanId: { type: 'bytes', id: 2 },
      name: { type: 'string', id: 5 },
      startTimeUnixNano: { type: 'fixed64', id: 7 },
      attributes: { rule: 'repeated', type: 'KeyValue', id: 9 },
      events: { rule: 'repeated', type: 'SpanEvent', id: 11 },
    },
  },
  ScopeSpans: { fields: { spans: { rule: 'repeated', type: 'Span', id: 2 } } },
  ResourceSpans: { fields: { resource: { type: 'Resource', id: 1 }, scopeSpans: { rule: 'repeated', type: 'ScopeSpans', id: 2 } } },
  TracesRequest: { fields: { resourceSpans: { rule: 'repeated', type: 'ResourceSpans', id: 1 } } },
  /** Logs and traces name the count differently and number it alike. */
  PartialSuccess: { fields: { rejected: { type: 'int64', id: 1 }, errorMessage: { type: 'string', id: 2 } } },
  ExportResponse: { fields: { partialSuccess: { type: 'PartialSuccess', id: 1 } } },
  /** google.rpc.Status */
  Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
};

/** The wire type of messages. */
const LENGTH_DELIMITED = 2;

const root = protobuf.Root.fromJSON({ nested: MESSAGES });

/** What stands for a record of its own, or may. */
const SIGNALS: ReadonlySet<string> = new Set(['LogRecord', 'Span', 'SpanEvent']);

/** A message as it is met on the wire: the messages in it by their field numbers. */
interface Shape {
  readonly isSignal: boolean;
  readonly inner: Map<number, Shape>;
}

const shapes = new Map<string, Shape>(Object.keys(MESSAGES).map((name) => [name, { isSignal: SIGNALS.has(name), inner: new Map() }]));
for (const [name, { fields }] of Object.entries(MESSAGES)) {
  for (const { type, id } of Object.values<{ type: string; id: number }>(fields)) {
    const inner = shapes.get(type);
    if (inner !== undefined) shapes.get(name)?.inner.set(id, inner);
  }
}

/** What an export may hold. */
export interface ExportBounds {
  /** Log records, or spans and their events. */
  readonly signals: number;
  /** Messages of protobuf: an attribute with its value is two. */
  readonly messages: number;
}

/**
 * Whether an export holds more than `max`, told from its bytes: nothing is decoded, and the walk ends where the bound is passed.
 *
 * @throws Error when the bytes are no such message, or nested deeper than any may be.
 */
export function isExportLarger(name: 'LogsRequest' | 'TracesRequest', bytes: Uint8Array, max: ExportBounds): boolean {
  return new ExportWalk(bytes, max).isLarger(shapes.get(name), bytes.length, 0);
}

class ExportWalk {
  readonly #reader: protobuf.Reader;
  readonly #max: ExportBounds;
  #signals = 0;
  #messages = 0;

  constructor(bytes: Uint8Array, max: ExportBounds) {
    this.#reader = protobuf.Reader.create(bytes);
    this.#max = max;
  }

  /** Goes through a message up to its end, or up to where the bound is passed. */
  isLarger(shape: Shape | undefined, end: number, depth: number): boolean {
    if (depth > protobuf.Reader.recursionLimit) throw new Error('nested too deep');
    while (this.#reader.pos < end) {
      const inner = this.#nextOf(shape, depth);
      if (inner !== undefined && (this.#isBeyond(inner) || this.isLarger(inner, this.#reader.uint32() + this.#reader.pos, depth + 1)))
        return true;
    }
    if (this.#reader.pos !== end) throw new RangeError('a message goes beyond the one around it');
    return false;
  }

  /** Reads the tag of the next field and skips the field, unless it is a message that is looked into. */
  #nextOf(shape: Shape | undefined, depth: number): Shape | undefined {
    const tag = this.#reader.tag();
    const inner = (tag & 7) === LENGTH_DELIMITED ? shape?.inner.get(tag >>> 3) : undefined;
    if (inner === undefined) this.#reader.skipType(tag & 7, depth, tag >>> 3);
    return inner;
  }

  #isBeyond({ isSignal }: Shape): boolean {
    this.#messages++;
    if (isSignal) this.#signals++;
    return this.#messages > this.#max.messages || this.#signals > this.#max.signals;
  }
}

/**
 * Decodes a message into the shape of its JSON form: 64-bit integers as decimal text, bytes as they are.
 *
 * @throws Error when the bytes are no such message.
 */
export function decodeMessage(name: 'LogsRequest' | 'TracesRequest', bytes: Uint8Array): unknown {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes), { longs: String });
}

export function encodeMessage(name: 'ExportResponse' | 'Status', value: Readonly<Record<string, unknown>>): Uint8Array {
  const type = root.lookupType(name);
  return type.encode(type.fromObject(value)).finish();
}
