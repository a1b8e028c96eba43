import { expect, test } from 'vitest';
import { FINDING_LANGUAGE, findingFilters, findingParams, findingQuery } from '@/components/findings/use-finding-filters';
import { parseQuery, type QueryLanguage, writeQuery } from '@/components/query/query-language';
import { SESSION_LANGUAGE, sessionFilters, sessionParams, sessionQuery } from '@/components/session/use-session-filters';

const read = (text: string, language: QueryLanguage) => {
  const parsed = parseQuery(text, language);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};

test.each([
  'code:gap severity:critical',
  '-code:gap,reconnect_loop',
  'blame:server -blame:client',
  'server:a -server:b,"two words"',
  '-severity:info session:0123',
])('of findings, %s comes back as it was typed', (text) => {
  expect(writeQuery(findingQuery(findingFilters(read(text, FINDING_LANGUAGE))), FINDING_LANGUAGE)).toBe(text);
});

test.each(['server:a unsafe:true', '-server:ci,"two words"', 'server:a -server:b'])(
  'of sessions, %s comes back as it was typed',
  (text) => {
    expect(writeQuery(sessionQuery(sessionFilters(read(text, SESSION_LANGUAGE))), SESSION_LANGUAGE)).toBe(text);
  },
);

test('the API is asked for what is left out by name, a facet counts without its own choice only', () => {
  const filters = findingFilters(read('code:gap -code:duplicate -server:ci', FINDING_LANGUAGE));
  expect(findingParams(filters)).toMatchObject({ code: 'gap', code_not: 'duplicate', server_not: 'ci', blame_not: null });
  expect(findingParams(filters, 'code')).toMatchObject({ code_not: 'duplicate' });
  expect(findingParams(filters, 'code')).not.toHaveProperty('code');
  expect(sessionParams(sessionFilters(read('-server:ci', SESSION_LANGUAGE)))).toEqual({ server: null, server_not: 'ci', unsafe: null });
});

test.each([
  ['-session:x', FINDING_LANGUAGE, 'code, severity, blame, server can be: -code:value.'],
  ['-code:nothing', FINDING_LANGUAGE, 'code is one of'],
  ['-unsafe:true', SESSION_LANGUAGE, 'server can be: -server:value.'],
])('%s is refused with what can be left out', (text, language, words) => {
  expect(parseQuery(text, language)).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
});
