import { AddressGuard } from '@/lib/delivery/address-guard';
import { openSender, type Sender } from '@/lib/delivery/sender';

/** The real sender, allowed to reach this machine. */
export const loopbackSender = (totalMs = 60_000): Sender =>
  openSender(new AddressGuard(['127.0.0.1']), undefined, { totalMs, connectMs: 30_000, responseBytes: 4_096 });
