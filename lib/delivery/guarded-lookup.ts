import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressGuard, TargetRefusedError } from '@/lib/delivery/address-guard';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Resolves and checks in one step: the connection is made to the very addresses that were checked, so an answer
 * that changes afterwards changes nothing. One refused address refuses the name, since which one is used is not
 * ours to choose.
 *
 * @throws TargetRefusedError
 */
export async function resolveAllowed(guard: AddressGuard, resolve: Resolve, hostname: string): Promise<readonly Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const addresses = family === 0 ? await resolve(literal) : [{ address: literal, family }];
  const refused = addresses.find(({ address }) => !guard.isAllowed(address));
  if (addresses.length === 0) throw new TargetRefusedError(`${hostname} has no address`);
  if (refused !== undefined) throw new TargetRefusedError(`${hostname} leads to ${refused.address}, which is not allowed as a target`);
  return addresses;
}

/** The same in the form that sockets take. */
export function guardedLookup(guard: AddressGuard, resolve: Resolve, isEncrypted: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveAllowed(guard, resolve, hostname).then(
      (addresses) => {
        const plain = isEncrypted ? undefined : addresses.find(({ address }) => !guard.isListed(address));
        if (plain !== undefined) return callback(new TargetRefusedError(PLAIN_REFUSED), '', 4);
        if (options.all === true) return callback(null, [...addresses]);
        return callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
      },
      (cause: NodeJS.ErrnoException) => callback(cause, '', 4),
    );
  };
}

export const PLAIN_REFUSED = 'a target without encryption must be listed in allow_private_targets';
