import { expect, test } from 'vitest';
import { AddressGuard, isAddressRange } from '@/lib/delivery/address-guard';

test.each([
  ['93.184.216.34', true],
  ['2606:2800:220:1:248:1893:25c8:1946', true],
  ['127.0.0.1', false],
  ['127.255.255.254', false],
  ['0.0.0.0', false],
  ['10.0.0.1', false],
  ['172.16.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['192.0.2.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fc00::1', false],
  ['fd00:ec2::254', false],
  ['ff02::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:169.254.169.254', false],
  ['::ffff:7f00:1', false],
  ['::ffff:93.184.216.34', true],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001:0:7f00:1::', false],
  ['2001:db8::1', false],
  ['::127.0.0.1', false],
  ['not an address', false],
  ['', false],
] as const)('%s as a target: %s', (address, isAllowed) => {
  expect(new AddressGuard([]).isAllowed(address)).toBe(isAllowed);
});

test('the list opens what it names, in every spelling, and nothing else', () => {
  const guard = new AddressGuard(['127.0.0.1/32', '10.1.0.0/16', 'fd00::/8', '::1']);
  expect(['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', 'fd12::1', '::1'].every((address) => guard.isAllowed(address))).toBe(true);
  expect(['127.0.0.2', '10.2.0.1', 'fe80::1'].some((address) => guard.isAllowed(address))).toBe(false);
});

test.each([
  ['127.0.0.1', true],
  ['127.0.0.1/32', true],
  ['::1/128', true],
  ['127.0.0.1/33', false],
  ['localhost', false],
])('%s as an address range: %s', (text, isRange) => {
  expect(isAddressRange(text)).toBe(isRange);
});
