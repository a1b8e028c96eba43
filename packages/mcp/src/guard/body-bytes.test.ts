import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { BODY_BYTES_MAX, BodyBytes } from './body-bytes.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const piece = fc.uint8Array({ maxLength: 9000 }).map((bytes) => Buffer.from(bytes));

test('what is taken is every piece in order, and nothing is left to be taken again', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const body = new BodyBytes();
      for (const one of pieces) body.add(one);
      expect(body.take()).toEqual(pieces.length === 0 ? null : Buffer.concat(pieces));
      expect(body.take()).toBeNull();
    }),
  );
});

test.each([
  { over: 0, isTooLong: false },
  { over: 1, isTooLong: true },
])('of a body of $over bytes more than the bound everything is kept or nothing: $isTooLong', ({ over, isTooLong }) => {
  const body = new BodyBytes();
  body.add(Buffer.alloc(BODY_BYTES_MAX - 1, 'x'));
  body.add(Buffer.alloc(1 + over, 'y'));
  body.add(Buffer.alloc(0));
  expect([body.isTooLong, body.take()?.length]).toEqual([isTooLong, isTooLong ? undefined : BODY_BYTES_MAX]);
});

test('the memory that a body takes on its way grows with its bytes, not with its pieces', () => {
  const allocated: number[] = [];
  const allocate = Buffer.allocUnsafeSlow;
  vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((size) => {
    allocated.push(size);
    return allocate(size);
  });
  const body = new BodyBytes();
  for (let n = 0; n < BODY_BYTES_MAX; n++) body.add(Buffer.from([n % 256]));
  expect(body.take()?.length).toBe(BODY_BYTES_MAX);
  expect(allocated.length).toBeLessThanOrEqual(Math.log2(BODY_BYTES_MAX));
  expect(allocated.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * BODY_BYTES_MAX);
});
