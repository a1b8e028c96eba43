import type { ServerOptions } from 'node:http';

/** A client gets this long to send a request's head. */
const HEAD_MS = 20_000;
/** How often within that time connections are looked at: a head that is late is cut at most this part of it later. */
const LOOKS = 4;

/** Cuts connections whose request's head does not arrive. Bodies are held open for as long as they need: their own limits apply. */
export function headLimit(headMs = HEAD_MS): ServerOptions {
  return { headersTimeout: headMs, requestTimeout: 0, connectionsCheckingInterval: headMs / LOOKS };
}
