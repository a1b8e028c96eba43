import { createServer } from 'node:net';

/** A hold on a spool file. */
export interface SpoolLock {
  release(): void;
}

/**
 * Claims the spool file of that epoch, or answers null while anybody holds it: another reporter of this process or of
 * one of its threads, whichever copy of this package it is from, or another process of this machine. The system
 * releases it when its holder ends, however that ends. It is a local name that one socket at a time can have, which
 * nothing connects to.
 *
 * @returns undefined where the system has no such names: there is nothing to hold
 */
export function lockSpool(epoch: string): SpoolLock | null | undefined {
  const name = nameOf(epoch);
  if (name === null) return undefined;
  const holder = createServer((socket) => socket.destroy());
  // Why the name could not be had is told later, and is known by then.
  holder.on('error', () => undefined);
  holder.listen({ path: name, exclusive: true });
  if (!holder.listening) return null;
  holder.unref();
  return { release: () => void holder.close() };
}

function nameOf(epoch: string): string | null {
  // Names in the abstract namespace of Linux leave no file behind.
  if (process.platform === 'linux') return `\0tidemark-spool-${epoch}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\tidemark-spool-${epoch}` : null;
}
