import { expect, test } from 'vitest';
import { AckTokens } from '@/lib/delivery/ack-token';
import { Seal, UnsealError } from '@/lib/delivery/seal';

const secret = new TextEncoder().encode('an installation secret');

test('what is sealed opens under the same key and context, and is unreadable at rest', () => {
  const seal = new Seal(secret, 'channels');
  const sealed = seal.seal('whsec_top', 'oncall');
  expect(sealed).not.toContain('whsec');
  expect(seal.open(sealed, 'oncall')).toBe('whsec_top');
  expect(seal.seal('whsec_top', 'oncall')).not.toBe(sealed);
});

test('another context, purpose, installation, or an altered byte does not open it', () => {
  const seal = new Seal(secret, 'channels');
  const sealed = seal.seal('whsec_top', 'oncall');
  const middle = Math.floor(sealed.length / 2);
  const altered = `${sealed.slice(0, middle)}${sealed[middle] === 'A' ? 'B' : 'A'}${sealed.slice(middle + 1)}`;
  expect(() => seal.open(sealed, 'other')).toThrow(UnsealError);
  expect(() => new Seal(secret, 'other').open(sealed, 'oncall')).toThrow(UnsealError);
  expect(() => new Seal(new TextEncoder().encode('foreign'), 'channels').open(sealed, 'oncall')).toThrow(UnsealError);
  expect(() => seal.open(altered, 'oncall')).toThrow(UnsealError);
  expect(() => seal.open('v1.', 'oncall')).toThrow(UnsealError);
});

test('an acknowledgement link is good for its episode, until it expires, and cannot be made up', () => {
  const tokens = new AckTokens(secret);
  const token = tokens.sign('r', 'g', 7, 1000);
  expect(tokens.read(token, 2000)).toMatchObject({ rule: 'r', groupKey: 'g', episode: 7 });
  expect(tokens.read(token, 1000 + 7 * 86_400_000)).toBeNull();
  expect(new AckTokens(new TextEncoder().encode('foreign')).read(token, 2000)).toBeNull();
  const [payload, mac] = token.split('.');
  const forged = Buffer.from(JSON.stringify(['other', 'g', 7, 9e15])).toString('base64url');
  expect(tokens.read(`${forged}.${mac}`, 2000)).toBeNull();
  expect(tokens.read(`${payload}`, 2000)).toBeNull();
  expect(tokens.read('', 2000)).toBeNull();
});
