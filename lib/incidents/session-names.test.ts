import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withSessionNames } from '@/lib/incidents/session-names';

const A = '0123456789abcdef0123456789abcdef';
const B = 'fedcba9876543210fedcba9876543210';

test.each([
  [`{"session":"${A}","digest":"${B}"}`, `{"session":"S1","digest":"${B}"}`],
  [`the answer went to ${A}, not to ${B}`, `the answer went to S1, not to ${B}`],
  [`{"session":"${B}"} ${B}`, '{"session":"S0"} S0'],
  [`${A}0 x${A}`, `${A}0 xS1`],
])('%s becomes %s', (text, want) => expect(withSessionNames(text, [A])).toBe(want));

test('no reference of the list is left in any text, whatever stands around it', () => {
  const ref = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.uniqueArray(ref, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(4), { maxLength: 20 }), (refs, places) => {
      const text = places.map((place) => `"session":"${refs[place % refs.length]}"`).join(' ');
      const named = withSessionNames(text, refs);
      for (const one of refs) expect(named).not.toContain(one);
    }),
  );
});
