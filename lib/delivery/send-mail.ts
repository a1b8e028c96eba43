import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { type AddressGuard, TargetRefusedError } from '@/lib/delivery/address-guard';
import type { Channel } from '@/lib/delivery/channel';
import { PLAIN_REFUSED, type Resolve, resolveAllowed } from '@/lib/delivery/guarded-lookup';
import { type Outgoing, type SendResult, unanswered } from '@/lib/delivery/outcome';

const TIMEOUT_MS = 15_000;
const DEFAULT_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const RESPONSE_HEAD_MAX = 512;

/**
 * Sends a message by SMTP to the channel's `smtp(s)://user:password@host:port?from=…&to=…`. The server's address
 * is checked and then connected to as it is; its name is still what its certificate must show. Without
 * encryption only listed servers are used.
 */
export async function sendMail(guard: AddressGuard, resolve: Resolve, channel: Channel, message: Outgoing): Promise<SendResult> {
  try {
    const url = new URL(channel.url);
    const isImplicitTls = url.protocol === 'smtps:';
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const [target] = await resolveAllowed(guard, resolve, hostname);
    if (target === undefined) throw new TargetRefusedError(PLAIN_REFUSED);
    const { subject, text } = mailOf(message.body);
    const transport = createTransport({
      host: target.address,
      port: url.port === '' ? DEFAULT_PORTS[isImplicitTls ? 'smtps:' : 'smtp:'] : Number(url.port),
      secure: isImplicitTls,
      requireTLS: !isImplicitTls && !guard.isListed(target.address),
      // A listed server is the operator's own: it need not show a certificate of its name.
      tls: { ...(isIP(hostname) === 0 ? { servername: hostname } : {}), rejectUnauthorized: !guard.isListed(target.address) },
      ...(url.username === '' ? {} : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const from = url.searchParams.get('from') ?? `tidemark@${hostname}`;
      const sent = await transport.sendMail({
        from,
        to: recipientsOf(url),
        subject,
        text,
        // The same in every attempt, so that a mail that arrives twice is recognised.
        messageId: `<${message.id}@tidemark>`,
        headers: { 'X-Tidemark-Delivery': message.id },
      });
      return { outcome: 'delivered', status: statusOf(sent.response), retryAfterMs: null, error: null, responseHead: head(sent.response) };
    } finally {
      transport.close();
    }
  } catch (cause) {
    return mailFailure(cause);
  }
}

/** Recipients stand in `to`, or as the path. */
function recipientsOf(url: URL): string[] {
  const named = url.searchParams.getAll('to');
  return named.length > 0 ? named : [decodeURIComponent(url.pathname.slice(1))];
}

/** A permanent refusal (5xx) is the receiver's answer to this mail; anything else is a server out of order. */
function mailFailure(cause: unknown): SendResult {
  const failure = unanswered(cause);
  if (!(cause instanceof Error) || !('responseCode' in cause) || typeof cause.responseCode !== 'number') return failure;
  const response = 'response' in cause && typeof cause.response === 'string' ? head(cause.response) : null;
  return { ...failure, outcome: cause.responseCode >= 500 ? 'refused' : 'unavailable', status: cause.responseCode, responseHead: response };
}

function mailOf(body: string): { subject: string; text: string } {
  const mail: unknown = JSON.parse(body);
  if (typeof mail !== 'object' || mail === null || !('subject' in mail) || !('text' in mail))
    throw new TypeError('the stored body is no mail');
  return { subject: String(mail.subject), text: String(mail.text) };
}

const head = (text: string): string => text.slice(0, RESPONSE_HEAD_MAX);

function statusOf(response: string): number | null {
  const code = /^\d{3}/.exec(response)?.[0];
  return code === undefined ? null : Number(code);
}
