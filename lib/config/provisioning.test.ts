import { expect, test } from 'vitest';
import { describeProblems } from './config-problem';
import { parseConfigFile } from './parse-file';

const YAML = `
# who is told
alerts:
  channels:
    - name: on-call
      type: webhook
      url: https://example.org/hook
  rules:
    - name: lost events
      measure: unsafe_resume
      threshold: 1
      group_by: [server]
      escalate: { after_s: 900, channels: [on-call] }
`;

test('YAML says the same as JSON', () => {
  const yaml = parseConfigFile(YAML);
  const json = parseConfigFile(
    JSON.stringify({
      alerts: {
        channels: [{ name: 'on-call', type: 'webhook', url: 'https://example.org/hook' }],
        rules: [
          {
            name: 'lost events',
            measure: 'unsafe_resume',
            threshold: 1,
            group_by: ['server'],
            escalate: { after_s: 900, channels: ['on-call'] },
          },
        ],
      },
    }),
  );
  expect(yaml.ok).toBe(true);
  expect(yaml).toEqual(json);
});

test.each([
  ['https://tidemark.example/', 'https://tidemark.example'],
  ['http://10.0.0.4:4700', 'http://10.0.0.4:4700'],
])('links of messages lead to %s', (public_url, want) => {
  expect(parseConfigFile(JSON.stringify({ alerts: { public_url } }))).toMatchObject({ ok: true, value: { alerts: { publicUrl: want } } });
});

test('every problem of a YAML file is told with its path and its line', () => {
  const parsed = parseConfigFile(`
alerts:
  channels:
    - name: hook
      type: carrier-pigeon
      url: https://example.org
  rules:
    - name: a
      measure: nonsense
      threshold: many
    - measure: gap
      threshold: 1
`);
  expect(parsed.ok ? [] : parsed.error.map(({ path, line }) => [path, line])).toEqual([
    ['alerts.channels[0].type', 5],
    ['alerts.rules[0].measure', 9],
    ['alerts.rules[0].threshold', 10],
    ['alerts.rules[1].name', 11],
  ]);
  expect(parsed.ok ? '' : describeProblems(parsed.error)).toContain('alerts.rules[0].measure (line 9): must be');
});

test('a rule that names a channel that is not there is told with its line', () => {
  const parsed = parseConfigFile(YAML.replace('channels: [on-call]', 'channels: [nobody]'));
  expect(parsed).toMatchObject({ ok: false, error: [{ path: 'alerts.rules[0].escalate.channels[0]', line: 13 }] });
});

test('problems of a JSON file have lines too', () => {
  const parsed = parseConfigFile(
    '{\n  "alerts": {\n    "rules": [\n      { "name": "a", "measure": "gap", "threshold": "x" }\n    ]\n  }\n}',
  );
  expect(parsed).toMatchObject({ ok: false, error: [{ path: 'alerts.rules[0].threshold', line: 4 }] });
});

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f']
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[index]}`).join(',')}]`)
  .join('\n')}\n`;

test.each([
  ['a tab as indentation', 'alerts:\n\t- x: hunter2', 2],
  ['a key that stands twice', 'keys: []\nkeys: []', 2],
  ['a bracket that is not closed', 'alerts: {rules: [\n', 2],
  ['an alias that leads nowhere', 'alerts: *hunter2', undefined],
  ['aliases that grow without end', BOMB, undefined],
])('%s is refused as a whole, and nothing of the text is quoted', (_name, text, line) => {
  const parsed = parseConfigFile(text);
  expect(parsed).toMatchObject({
    ok: false,
    error: [{ code: 'config_invalid', path: 'TIDEMARK_CONFIG', ...(line === undefined ? {} : { line }) }],
  });
  expect(parsed.ok ? '' : describeProblems(parsed.error)).not.toContain('hunter2');
});
