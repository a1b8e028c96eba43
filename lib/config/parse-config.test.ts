import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeProblems } from './config-problem';
import { isLoopback } from './loopback';
import { type FileText, parseConfig } from './parse-config';

const file = (content: unknown): FileText => ({ text: JSON.stringify(content) });

/** Paths of all problems, in order; empty when the configuration is accepted. */
function paths(env: Record<string, string>, content: FileText = null): string[] {
  const parsed = parseConfig(env, content);
  return parsed.ok ? [] : parsed.error.map(({ path }) => path);
}

test('an empty environment is the loopback install with nothing external', () => {
  const parsed = parseConfig({ PORT: '', DATABASE_URL: '' }, null);
  expect(parsed).toMatchObject({
    ok: true,
    value: {
      port: 4700,
      host: '127.0.0.1',
      dataDir: '.data',
      databaseUrl: null,
      redisUrl: null,
      auth: 'off',
      secret: null,
      routes: [],
      keys: [],
      retention: null,
    },
  });
});

test.each([
  ['-1', true],
  ['0', false],
  ['65535', false],
  ['65536', true],
  ['80x', true],
  ['4700.5', true],
  [' 80', true],
])('PORT=%j is a problem: %s', (port, wrong) => expect(paths({ PORT: port })).toEqual(wrong ? ['PORT'] : []));

test.each([
  ['loopback needs no authentication', { HOST: '127.0.0.2' }, false, []],
  ['loopback by IPv6 needs none', { HOST: '::1' }, false, []],
  ['another address without authentication is refused', { HOST: '0.0.0.0' }, false, ['HOST']],
  ['another address with authentication switched off is refused', { HOST: '0.0.0.0', TIDEMARK_AUTH: 'off' }, true, ['HOST']],
  ['another address with a key is accepted', { HOST: '0.0.0.0' }, true, []],
  ['another address with authentication asked for is accepted', { HOST: '::', TIDEMARK_AUTH: 'on' }, false, []],
  ['another word for authentication is refused', { TIDEMARK_AUTH: 'yes' }, false, ['TIDEMARK_AUTH']],
])('%s', (_name, env, withKey, want) =>
  expect(paths(env, withKey ? file({ keys: [{ name: 'ci', key: 'k'.repeat(32) }] }) : null)).toEqual(want),
);

test('authentication is on wherever other machines can reach the port', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org'),
      fc.constantFrom('on', 'off', ''),
      (HOST, TIDEMARK_AUTH) => {
        const parsed = parseConfig({ HOST, TIDEMARK_AUTH }, file({ keys: [{ name: 'a', key: 'b'.repeat(16) }] }));
        return !parsed.ok || parsed.value.auth === 'on';
      },
    ),
  );
});

test.each([
  ['localhost', true],
  ['127.255.0.1', true],
  ['[::1]', true],
  ['128.0.0.1', false],
  ['127.example.org', false],
  ['::', false],
])('%s is loopback: %s', (host, want) => expect(isLoopback(host)).toBe(want));

test('every problem is listed at once: variables, then fields of the file by their path', () => {
  const content = file({
    proxy: { routes: [{ name: 'a/b', upstream: 'ftp://x', mode: 'maybe', buffer: { events: 0 } }] },
    alerts: { rules: [{ name: 'r' }] },
    keys: {},
  });
  expect(paths({ PORT: 'x', DATABASE_URL: 'mysql://h/d', REDIS_URL: 'h:1', TIDEMARK_SECRET: 'short' }, content)).toEqual([
    'PORT',
    'DATABASE_URL',
    'REDIS_URL',
    'TIDEMARK_SECRET',
    'proxy.routes[0].name',
    'proxy.routes[0].upstream',
    'proxy.routes[0].mode',
    'proxy.routes[0].buffer.events',
    'alerts.rules[0].measure',
    'alerts.rules[0].threshold',
    'keys',
  ]);
});

test('no upstream carries a user or password, which would be shown with it', () => {
  const upstreams = ['http://ann@127.0.0.1:1/mcp', 'https://:secret@mcp.example/mcp', 'http://127.0.0.1:1/mcp?key=1'];
  const routes = upstreams.map((upstream, n) => ({ name: `r${n}`, upstream }));
  expect(paths({}, file({ proxy: { routes } }))).toEqual(['proxy.routes[0].upstream', 'proxy.routes[1].upstream']);
});

test('names repeat in no list and rules name channels that exist', () => {
  const route = { name: 'a', upstream: 'http://127.0.0.1:1/mcp' };
  const content = file({
    proxy: { routes: [route, route] },
    alerts: {
      channels: [{ name: 'pd', type: 'pagerduty', url: 'https://example.org' }],
      rules: [{ name: 'r', measure: 'gap', threshold: 1, channels: ['pd', 'none'] }],
    },
  });
  expect(paths({}, content)).toEqual(['proxy.routes[1].name', 'alerts.rules[0].channels[1]', 'alerts.channels[0].secret']);
});

test('a route hears of a server, and never of what a route reports itself', () => {
  const route = (name: string, server: string) => ({ name, server, upstream: 'http://h/mcp' });
  expect(paths({}, file({ proxy: { routes: [route('a', 'b'), route('b', 'calendar')] } }))).toEqual(['proxy.routes[0].server']);
});

test('a route is told in full: absent members have their defaults, known ones their value', () => {
  const parsed = parseConfig(
    {},
    file({
      proxy: {
        routes: [
          {
            name: 'a',
            upstream: 'http://h/mcp',
            buffer: { ttl_ms: 5 },
            instance_header: 'X-Pod',
            credential_headers: ['X-Key', 'Cookie:Sid'],
          },
        ],
      },
    }),
  );
  expect(parsed).toMatchObject({
    ok: true,
    value: {
      routes: [
        {
          name: 'a',
          upstream: 'http://h/mcp',
          mode: 'shadow',
          replay: 'upstream',
          refusal: 'status',
          floor: 'successor',
          buffer: { events: 10_000, bytes: 16_777_216, ttlMs: 5, sessionBytes: 67_108_864 },
          instanceHeader: 'x-pod',
          credentialHeaders: ['cookie:Sid', 'x-key'],
          clientStallMs: 120_000,
          upstreamSilenceMs: null,
          heartbeatMs: null,
          sessionlessCursors: 'refuse',
          bodyBytesMax: 67_108_864,
          server: null,
        },
      ],
    },
  });
});

test.each([[[]], [['x key']], [['x-key:part']], [['cookie:']]])('credentials are told by names of headers: %j is refused', (names) => {
  const problems = paths({}, file({ proxy: { routes: [{ name: 'a', upstream: 'http://h/mcp', credential_headers: names }] } }));
  expect(problems.every((path) => path.startsWith('proxy.routes[0].credential_headers'))).toBe(true);
  expect(problems.length).toBe(1);
});

test('members that nothing reads are reported with their path and change nothing', () => {
  const parsed = parseConfig({}, file({ proxxy: {}, proxy: { routes: [{ name: 'a', upstream: 'http://h', mod: 'enforce' }] } }));
  expect(parsed.ok && parsed.value.warnings.map((line) => line.split(' ')[0])).toEqual(['proxxy', 'proxy.routes[0].mod']);
});

test.each([
  ['text that is no JSON', { text: '{"keys":[{"key":"hunter2"' }],
  ['a value of another type', { text: '"hunter2"' }],
  ['a secret of a wrong shape', file({ keys: [{ name: 'a', key: 'hunter2 hunter2' }] })],
  [
    'a channel secret of a wrong type',
    file({ alerts: { channels: [{ name: 'a', type: 'hunter2', url: 'hunter2', secret: ['hunter2'] }] } }),
  ],
])('no problem quotes a secret: %s', (_name, content) => {
  const parsed = parseConfig({ TIDEMARK_SECRET: 'hunter2', DATABASE_URL: 'http://u:hunter2@h', REDIS_URL: 'http://:hunter2@h' }, content);
  expect(parsed.ok).toBe(false);
  if (!parsed.ok) expect(describeProblems(parsed.error)).not.toContain('hunter2');
});

test('a file that cannot be read is a problem of its own', () => {
  const parsed = parseConfig({}, { unreadable: 'no such file' });
  expect(parsed).toMatchObject({ ok: false, error: [{ code: 'config_file_unreadable', path: 'TIDEMARK_CONFIG' }] });
});

test.each([
  {
    name: 'days of records alone leave those of rollups at their default',
    retention: { records_days: 30 },
    want: { recordsDays: 30, rollupsDays: 1830 },
  },
  {
    name: 'rollups are kept at least as long as records',
    retention: { records_days: 2000 },
    want: { recordsDays: 2000, rollupsDays: 2000 },
  },
  { name: 'none leaves it to the settings', retention: undefined, want: null },
])('retention: $name', ({ retention, want }) => {
  expect(parseConfig({}, file({ retention }))).toMatchObject({ ok: true, value: { retention: want } });
});

test('rollups that would go before their records are a problem', () => {
  expect(paths({}, file({ retention: { records_days: 30, rollups_days: 29 } }))).toEqual(['retention.rollups_days']);
});

test('a key without scopes may do everything, one with an unknown scope nothing of it, and that is told', () => {
  const key = 'k'.repeat(16);
  const parsed = parseConfig(
    {},
    file({
      keys: [
        { name: 'all', key },
        { name: 'some', key: `${key}2`, scopes: ['read', 'everything'] },
      ],
    }),
  );
  expect(parsed).toMatchObject({ ok: true, value: { keys: [{ scopes: ['admin'] }, { scopes: ['read'] }] } });
  if (parsed.ok) expect(parsed.value.warnings).toEqual([expect.stringContaining('"everything"')]);
});
