import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownPath } from '@/lib/access/own-path';

test.each([
  ['/attempts?q=a%20b', '/attempts?q=a%20b'],
  ['/incidents/1#log', '/incidents/1#log'],
  ['/', '/'],
])('%s is kept', (text, path) => expect(ownPath(text)).toBe(path));

test.each([
  null,
  undefined,
  '',
  'attempts',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\..\\..\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/\tx',
  '/\n/evil.example',
  ' /x',
  '/x y',
  '/\u2028',
  `/${'a'.repeat(3_000)}`,
])('%j leads to the overview', (text) => expect(ownPath(text)).toBe('/'));

test('whatever the text, a browser that follows it stays on this origin', () => {
  const pieces = fc.constantFrom('/', '\\', '.', '..', '%2f', '%5c', ':', '@', '?', '#', 'evil.example', 'javascript', '\t', '\n', 'a');
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      (text) => {
        const followed = new URL(ownPath(text), 'https://here.example/sign-in');
        expect(followed.origin).toBe('https://here.example');
        expect(new URL(ownPath(ownPath(text)), 'https://here.example').href).toBe(followed.href);
      },
    ),
    { numRuns: 2_000 },
  );
});
