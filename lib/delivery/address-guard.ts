import ipaddr from 'ipaddr.js';

/** A target that must not be reached from here. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
  readonly code = 'target_not_allowed';
}

/**
 * Which addresses messages may go to: public ones, and those that the operator listed.
 *
 * Private, loopback, link-local (which holds the metadata services of clouds), shared, reserved, multicast and
 * documentation ranges are refused, in every spelling: an IPv4 address inside IPv6 (mapped, NAT64, 6to4,
 * Teredo) does not count as public.
 */
export class AddressGuard {
  readonly #allowed: readonly ReturnType<typeof ipaddr.parseCIDR>[];

  /** @param allowPrivateTargets addresses or CIDR ranges. Throws on a text that is neither. */
  constructor(allowPrivateTargets: readonly string[]) {
    this.#allowed = allowPrivateTargets.map(rangeOf);
  }

  isAllowed(address: string): boolean {
    return this.isListed(address) || isPublic(address);
  }

  /** Whether the operator listed the address; such targets may also be reached without encryption. */
  isListed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#allowed.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  }
}

/** Whether a text can stand in `allow_private_targets`. */
export function isAddressRange(text: string): boolean {
  try {
    rangeOf(text);
    return true;
  } catch {
    // What the parser cannot read is no range.
    return false;
  }
}

function rangeOf(text: string): ReturnType<typeof ipaddr.parseCIDR> {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}
