import { Agent, type Dispatcher } from 'undici';
import { outcomeOfStatus, readRetryAfter } from '@/lib/alerting/retry';
import { type AddressGuard, TargetRefusedError } from '@/lib/delivery/address-guard';
import type { Channel } from '@/lib/delivery/channel';
import { guardedLookup, PLAIN_REFUSED, type Resolve, resolveAllowed } from '@/lib/delivery/guarded-lookup';
import { type Outgoing, type SendResult, unanswered } from '@/lib/delivery/outcome';
import { webhookHeaders } from '@/lib/delivery/webhook-signature';

export interface HttpLimits {
  /** From the start of an attempt to the end of its answer. */
  readonly totalMs: number;
  readonly connectMs: number;
  /** Bytes of an answer that are read; the connection is cut beyond them. */
  readonly responseBytes: number;
}

export const HTTP_LIMITS: HttpLimits = { totalMs: 15_000, connectMs: 5_000, responseBytes: 16_384 };

/** Characters of an answer that the log keeps. */
const RESPONSE_HEAD_MAX = 512;

/**
 * Sends messages by HTTP: connects only to checked addresses, follows no redirect, reads a bounded answer within
 * a bounded time. No connection is kept, so every attempt is checked anew.
 */
export class HttpSender {
  readonly #guard: AddressGuard;
  readonly #resolve: Resolve;
  readonly #limits: HttpLimits;
  readonly #secure: Agent;
  readonly #plain: Agent;

  constructor(guard: AddressGuard, resolve: Resolve, limits: HttpLimits = HTTP_LIMITS) {
    this.#guard = guard;
    this.#resolve = resolve;
    this.#limits = limits;
    this.#secure = this.#agent(true);
    this.#plain = this.#agent(false);
  }

  /** Never rejects: every failure is a result. */
  async send(channel: Channel, message: Outgoing, nowMs: number): Promise<SendResult> {
    const abort = AbortSignal.timeout(this.#limits.totalMs);
    try {
      const url = new URL(channel.url);
      const isEncrypted = url.protocol === 'https:';
      await this.#checkLiteral(url.hostname, isEncrypted);
      const body = bodyOf(channel, message);
      const response = await (isEncrypted ? this.#secure : this.#plain).request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...headersOf(url), ...channelHeaders(channel, message.id, body, nowMs) },
        body,
        signal: abort,
        reset: true,
      });
      return await this.#read(response, nowMs);
    } catch (cause) {
      return unanswered(cause);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#secure.destroy(), this.#plain.destroy()]);
  }

  /** A socket asks nobody about an address that is written out, so it is checked here. */
  async #checkLiteral(hostname: string, isEncrypted: boolean): Promise<void> {
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (!/^[0-9.]+$|:/.test(literal)) return;
    const [address] = await resolveAllowed(this.#guard, this.#resolve, hostname);
    if (!isEncrypted && address !== undefined && !this.#guard.isListed(address.address)) throw new TargetRefusedError(PLAIN_REFUSED);
  }

  async #read(response: Dispatcher.ResponseData, nowMs: number): Promise<SendResult> {
    const header = response.headers['retry-after'];
    const outcome = outcomeOfStatus(response.statusCode);
    const { head, isWhole } = await readHead(response.body, this.#limits.responseBytes);
    const told = outcome === 'delivered' ? null : `answered ${response.statusCode}${isWhole ? '' : ', with an answer that was cut'}`;
    return {
      outcome,
      status: response.statusCode,
      retryAfterMs: readRetryAfter(typeof header === 'string' ? header : null, nowMs),
      error: told,
      responseHead: head,
    };
  }

  #agent(isEncrypted: boolean): Agent {
    return new Agent({
      connect: { lookup: guardedLookup(this.#guard, this.#resolve, isEncrypted), timeout: this.#limits.connectMs },
      headersTimeout: this.#limits.totalMs,
      bodyTimeout: this.#limits.totalMs,
      pipelining: 0,
    });
  }
}

function headersOf(url: URL): Record<string, string> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Tidemark' };
  if (url.username === '') return headers;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function channelHeaders(channel: Channel, id: string, body: string, nowMs: number): Record<string, string> {
  if (channel.type === 'webhook') return webhookHeaders(channel, id, body, nowMs);
  return channel.type === 'alertmanager' && channel.secret !== null ? { authorization: `Bearer ${channel.secret}` } : {};
}

/** PagerDuty reads its key from the body; it is added here so that it is not stored with the message. */
function bodyOf(channel: Channel, message: Outgoing): string {
  if (channel.type !== 'pagerduty') return message.body;
  const event: unknown = JSON.parse(message.body);
  return JSON.stringify({ routing_key: channel.secret ?? '', ...(typeof event === 'object' ? event : {}) });
}

/** Reads the beginning of an answer. What is too long is cut off: the status has said what matters. */
async function readHead(body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<{ head: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = true;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size <= bytesMax) continue;
      isWhole = false;
      break;
    }
  } catch {
    // The status line has come: an answer that breaks off afterwards does not change what it said.
    isWhole = false;
  }
  return { head: Buffer.concat(chunks).toString('utf8').slice(0, RESPONSE_HEAD_MAX).replaceAll('\0', ''), isWhole };
}
