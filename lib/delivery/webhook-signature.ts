import { Webhook } from 'standardwebhooks';
import type { Channel } from '@/lib/delivery/channel';

/** Headers of one attempt, by the Standard Webhooks specification: the id stays, time and signature are the attempt's. */
export function webhookHeaders(channel: Channel, id: string, body: string, nowMs: number): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(nowMs / 1000)) };
  if (channel.secret === null) return headers;
  const { previous } = channel;
  const secrets = previous === null || previous.untilMs <= nowMs ? [channel.secret] : [channel.secret, previous.secret];
  const signatures = secrets.map((secret) => signerOf(secret).sign(id, new Date(nowMs), body));
  return { ...headers, 'webhook-signature': signatures.join(' ') };
}

/** A secret is base64, with `whsec_` before it or not, as the reference library reads it; any other text counts as its own bytes. */
function signerOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    // Not base64: the operator chose a text of their own.
    return new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
  }
}
