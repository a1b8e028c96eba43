import type { AddressGuard } from '@/lib/delivery/address-guard';
import type { Channel } from '@/lib/delivery/channel';
import { type Resolve, systemResolve } from '@/lib/delivery/guarded-lookup';
import type { Outgoing, SendResult } from '@/lib/delivery/outcome';
import { HTTP_LIMITS, type HttpLimits, HttpSender } from '@/lib/delivery/send-http';
import { sendMail } from '@/lib/delivery/send-mail';

/** Sends one message to one channel; never rejects. */
export interface Sender {
  readonly send: (channel: Channel, message: Outgoing, nowMs: number) => Promise<SendResult>;
  readonly close: () => Promise<void>;
}

/** The real one: HTTP for everything but mail. */
export function openSender(guard: AddressGuard, resolve: Resolve = systemResolve, limits: HttpLimits = HTTP_LIMITS): Sender {
  const http = new HttpSender(guard, resolve, limits);
  return {
    send: (channel, message, nowMs) =>
      channel.type === 'email' ? sendMail(guard, resolve, channel, message) : http.send(channel, message, nowMs),
    close: () => http.close(),
  };
}
