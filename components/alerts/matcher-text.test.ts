import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchersText, parseMatchers } from '@/components/alerts/matcher-text';
import { MATCH_OPERATORS } from '@/lib/alerting/silence';

test.each([
  ['server=pay', [{ name: 'server', op: '=', value: 'pay' }]],
  [
    ' alertname!=blind  server ~ pay-* ',
    [
      { name: 'alertname', op: '!=', value: 'blind' },
      { name: 'server', op: '~', value: 'pay-*' },
    ],
  ],
  ['server="a b"', [{ name: 'server', op: '=', value: 'a b' }]],
  ['node=""', [{ name: 'node', op: '=', value: '' }]],
])('%s is read', (text, matchers) => {
  expect(parseMatchers(text)).toEqual(matchers);
});

test.each(['', '   ', 'server', '=pay', 'server=pay and more', 'server="open', 'se-rver=x'])('%j is no matcher', (text) => {
  expect(parseMatchers(text)).toBeNull();
});

test('what is written is read back the same, whatever the labels hold', () => {
  const matcher = fc.record({
    name: fc.stringMatching(/^[a-z_]{1,8}$/),
    op: fc.constantFrom(...MATCH_OPERATORS),
    value: fc.string({ unit: 'grapheme', maxLength: 12 }),
  });
  fc.assert(
    fc.property(fc.array(matcher, { minLength: 1, maxLength: 5 }), (matchers) => {
      expect(parseMatchers(matchersText(matchers))).toEqual(matchers);
    }),
  );
});
