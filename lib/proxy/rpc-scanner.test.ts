import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RpcScanner } from '@/lib/proxy/rpc-scanner';
import { MESSAGES_MAX, pendingIdOf, type RpcSummary, summarizeRpc } from '@/lib/proxy/rpc-summary';
import { idsOf } from '@/lib/session-log/pending-ids';

const scan = (pieces: readonly Uint8Array[]): readonly RpcSummary[] => {
  const scanner = new RpcScanner();
  for (const piece of pieces) scanner.feed(piece);
  return scanner.read();
};

const whole = (text: string): readonly RpcSummary[] => scan([Buffer.from(text)]);
const withoutArgs = (messages: readonly RpcSummary[]) => messages.map((message) => ({ ...message, args: null }));

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 20 }), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true }));
const method = fc.constantFrom('initialize', 'tools/call', 'notifications/x', 'ping');
const params = fc.record(
  {
    name: fc.oneof(fc.string(), fc.constant({ name: 'not this', id: 8 })),
    arguments: fc.jsonValue(),
    _meta: fc.oneof(
      fc.jsonValue(),
      fc.record({ 'io.modelcontextprotocol/protocolVersion': fc.constantFrom('2026-07-28', '2025-11-25'), other: fc.jsonValue() }),
    ),
    id: fc.integer(),
    method: fc.string(),
  },
  { requiredKeys: [] },
);
const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), id, method, params }, { requiredKeys: ['jsonrpc', 'method'] }),
  fc.record({ params, method, id }, { requiredKeys: ['method'] }),
  fc.record({ id, result: fc.jsonValue() }),
  fc.record({ id, error: fc.record({ code: fc.integer(), message: fc.string(), data: fc.jsonValue() }) }),
);
const body = fc.oneof(message, fc.array(message, { minLength: 1, maxLength: 5 }));

/** Cuts at the given places, which may be amid a character. */
function cut(bytes: Buffer, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

test('a body that is scanned in any pieces says what a parse of the whole says', () => {
  fc.assert(
    fc.property(body, fc.array(fc.nat(), { maxLength: 12 }), fc.constantFrom(undefined, 1), (value, places, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      expect(scan(cut(bytes, places))).toEqual(withoutArgs(summarizeRpc(bytes)));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['the last of two ids counts, as for any parser', '{"id":1,"method":"a","id":2}'],
  ['names are read as they are meant', '{"\\u0069d":7,"method":"\\u0061"}'],
  [
    'members of arguments are none of the message',
    '{"method":"tools/call","params":{"name":"t","arguments":{"id":4,"method":"x"}},"id":3}',
  ],
  ['an array in a batch is no message', '[[{"id":1,"method":"a"}],{"id":2,"method":"b"}]'],
  ['an empty batch', '[]'],
  ['a text alone', '"id"'],
  ['text that ends with a backslash', '{"method":"a","params":{"x":"\\\\"},"id":"\\""}'],
])('%s', (_what, text) => {
  expect(whole(text)).toEqual(withoutArgs(summarizeRpc(Buffer.from(text))));
});

test('what came of a message that is not whole counts', () => {
  expect(whole('{"jsonrpc":"2.0","method":"initialize","params":{"cap')).toMatchObject([{ method: 'initialize', type: 'notification' }]);
  expect(whole('{"id":5,"method":"tools/call","params":{"name":"t","arguments":{"blob":"AAAA')).toMatchObject([
    { id: '5', method: 'tools/call', tool: 't' },
  ]);
});

test('an id or a method that is too long is not told, whatever it is', () => {
  expect(whole(`{"id":"${'x'.repeat(5000)}","method":"a"}`)).toMatchObject([{ id: null, type: 'request' }]);
  expect(whole(`{"id":1,"method":"${'x'.repeat(5000)}"}`)).toMatchObject([{ method: null }]);
});

test('what is held is bounded: by depth, by messages, by texts', () => {
  const scanner = new RpcScanner();
  const before = process.memoryUsage();
  const deep = Buffer.alloc(1024 * 1024, '[');
  for (let i = 0; i < 32; i++) scanner.feed(deep);
  const text = Buffer.alloc(1024 * 1024, 'x');
  scanner.feed(Buffer.from('{"id":"'));
  for (let i = 0; i < 32; i++) scanner.feed(text);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(16e6);
  expect(whole(`[${'{"id":1,"method":"a"},'.repeat(MESSAGES_MAX + 9)}{}]`).length).toBe(MESSAGES_MAX);
});

test('the requests of a batch wait, each under its own id', () => {
  const pending = pendingIdOf(whole('[{"id":7,"method":"a"},{"method":"n"},{"id":"7","method":"b"},{"id":1,"result":{}}]'));
  expect(pending).toBe('[7,"7"]');
  expect(idsOf(pending)).toEqual(['7', '"7"']);
  expect(idsOf(pendingIdOf(whole('{"id":"[1]","method":"a"}')))).toEqual(['"[1]"']);
  expect(pendingIdOf(whole('{"method":"n"}'))).toBeNull();
});
