import { attributesOf, inherited, together } from '@/lib/otlp/attributes';
import { PREFIX } from '@/lib/otlp/member-names';
import type { LogsRequest, TracesRequest } from '@/lib/otlp/schema';
import type { Signal } from '@/lib/otlp/to-record';

/** A signal and the unit that OTLP counts it under: the number of its log record or span within the request. */
export interface CountedSignal extends Signal {
  readonly unit: number;
}

/** The log records of an export, in order. `digest` names the export: the same bytes are the same records. */
export function* signalsOfLogs(request: LogsRequest, digest: string): Generator<CountedSignal> {
  let unit = 0;
  for (const { resource, scopeLogs } of request.resourceLogs ?? []) {
    const shared = attributesOf(resource?.attributes);
    for (const log of (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? [])) {
      yield {
        unit,
        name: log.eventName,
        attributes: attributesOf(log.attributes),
        resource: shared,
        at: milliseconds(log.timeUnixNano) ?? milliseconds(log.observedTimeUnixNano),
        idName: `${digest}/${unit}`,
      };
      unit++;
    }
  }
}

/** The spans of an export and the events inside them, in order. */
export function* signalsOfTraces(request: TracesRequest, digest: string): Generator<CountedSignal> {
  let unit = 0;
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    const shared = attributesOf(resource?.attributes);
    for (const span of (scopeSpans ?? []).flatMap(({ spans }) => spans ?? [])) {
      yield* signalsOfSpan(span, shared, unit, digest);
      unit++;
    }
  }
}

/** What a span says of itself that holds for its events too. */
const SHARED: ReadonlySet<string> = new Set(
  ['server', 'node', 'session', 'generation', 'stream', 'protocol_version', 'conn'].map((member) => `${PREFIX}${member}`),
);

type Span = NonNullable<NonNullable<NonNullable<TracesRequest['resourceSpans']>[number]['scopeSpans']>[number]['spans']>[number];

function* signalsOfSpan(span: Span, resource: Signal['resource'], unit: number, digest: string): Generator<CountedSignal> {
  const name = spanName(span) ?? `${digest}/${unit}`;
  const attributes = attributesOf(span.attributes);
  yield { unit, name: span.name, attributes, resource, at: milliseconds(span.startTimeUnixNano), idName: name };
  const shared = inherited(attributes, (key) => SHARED.has(key) || !key.startsWith(PREFIX));
  for (const [index, event] of (span.events ?? []).entries()) {
    yield {
      unit,
      name: event.name,
      attributes: together(shared, attributesOf(event.attributes)),
      resource,
      at: milliseconds(event.timeUnixNano),
      idName: `${name}/${index}`,
    };
  }
}

/** Twice what OTLP asks for; a longer one would be hashed anew for every event of the span. */
const ID_HEX_MAX = 64;

/** Trace and span name a span in the world; both are hexadecimal text or bytes. */
function spanName({ traceId, spanId }: Span): string | null {
  const trace = hexOf(traceId);
  const span = hexOf(spanId);
  return trace === '' || span === '' ? null : `${trace}/${span}`;
}

function hexOf(id: unknown): string {
  if (id instanceof Uint8Array) return id.length * 2 > ID_HEX_MAX ? '' : Buffer.from(id).toString('hex');
  return typeof id === 'string' && id.length <= ID_HEX_MAX ? id.toLowerCase() : '';
}

/** Zero is OTLP's way to say that an instant is unknown. */
function milliseconds(nanos: string | number | undefined): number | undefined {
  const ms = Number(BigInt(nanos ?? 0) / 1_000_000n);
  return ms === 0 ? undefined : ms;
}
