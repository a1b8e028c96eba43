import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '@/lib/http/error-codes';
import { HttpError } from '@/lib/http/http-error';

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

/** Asked again it would take as long: the next step is to ask for less. */
const NOT_AGAIN = ['job_timeout'];

test('every refusal for now says when to come again', () => {
  const forNow = Object.entries(ERROR_CODES).filter(([, { status }]) => status === 429 || status === 503);
  const silent = forNow.map(([code]) => code).filter((code) => new HttpError(code as ErrorCode, '').headers['retry-after'] === undefined);
  expect(silent).toEqual(NOT_AGAIN);
  expect(new HttpError('busy', '', { headers: { 'retry-after': '10' } }).headers).toEqual({ 'retry-after': '10' });
});
