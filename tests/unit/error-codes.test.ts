import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '@/lib/http/error-codes';

test('the documentation lists every code of the API with its status and next step, and no other', () => {
  const [, section = ''] = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8').split(/^## Of the API$/m);
  const [table = ''] = section.split(/^## /m);
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| (.+?) +\|$/gm)].map(([, code, status, nextStep]) => [
    code,
    Number(status),
    nextStep,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES).map(([code, { status, nextStep }]) => [code, status, nextStep]));
});
