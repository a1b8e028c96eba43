import {
  addAnnotations,
  addHour,
  type HourSums,
  hourAt,
  type Increments,
  larger,
  minuteAt,
  type ServerIncrement,
  type Span,
  type Sums,
  serverAt,
  sessionAt,
  smaller,
  spanAt,
} from '@/lib/rollup/increments';

/** Adds all of `more`. */
export function mergeIncrements(into: Increments, more: Increments): void {
  for (const [key, sums] of more.minutes) mergeSums(minuteAt(into, key), sums);
  for (const [key, count] of more.histogram) into.histogram.set(key, (into.histogram.get(key) ?? 0) + count);
  for (const [type, span] of more.types) mergeSpan(spanAt(into.types, type, span.firstMs), span);
  for (const [id, server] of more.servers) mergeServer(serverAt(into, id, server.firstMs), server);
  for (const key of more.stale) into.stale.add(key);
  for (const [ref, session] of more.sessions) {
    const known = sessionAt(into, ref, session.server, session.firstMs);
    mergeSpan(known, session);
    known.attempts += session.attempts;
    known.unsafe += session.unsafe;
    for (const { hour, unsafe } of session.hours) addHour(known.hours, hour, unsafe);
  }
  into.batches.push(...more.batches);
  into.drops.push(...more.drops);
  into.rejected.push(...more.rejected);
}

function mergeServer(known: ServerIncrement, server: ServerIncrement): void {
  mergeSpan(known, server);
  for (const [node, span] of server.nodes) mergeSpan(spanAt(known.nodes, node, span.firstMs), span);
  for (const [key, count] of server.annotations) addAnnotations(known, key, count);
  for (const [key, sums] of server.hours) mergeHour(hourAt(known, key, sums.firstMs), sums);
}

function mergeHour(known: HourSums, sums: HourSums): void {
  mergeSums(known, sums);
  known.firstMs = Math.min(known.firstMs, sums.firstMs);
  known.lastMs = Math.max(known.lastMs, sums.lastMs);
  known.leadMin = smaller(known.leadMin, sums.leadMin);
  known.keptMax = larger(known.keptMax, sums.keptMax);
  known.neededMax = larger(known.neededMax, sums.neededMax);
}

function mergeSums(into: Sums, more: Sums): void {
  into.attempts += more.attempts;
  into.unavailable += more.unavailable;
  into.gapEvents += more.gapEvents;
  into.uncounted += more.uncounted;
}

function mergeSpan(into: Span, more: Span): void {
  into.records += more.records;
  into.firstMs = Math.min(into.firstMs, more.firstMs);
  into.lastMs = Math.max(into.lastMs, more.lastMs);
}
