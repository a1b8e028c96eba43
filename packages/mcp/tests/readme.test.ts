import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RecordingReceiver } from './recording-receiver';
import { connect, opened, resumeGet } from './stack';

const here = (path: string) => new URL(`../${path}`, import.meta.url);
const readme = readFileSync(here('README.md'), 'utf8');
const blocks = [...readme.matchAll(/<!-- example: (\S+) (\S+) -->\n```ts\n([\s\S]*?)```/g)];

test('the README shows examples', () => expect(blocks).toHaveLength(2));

test.each(blocks.map(([, file = '', region = '', code = '']) => ({ file, region, code })))(
  'the README shows $file as it is type-checked',
  ({ file, region, code }) => {
    const source = readFileSync(here(file), 'utf8');
    const body = source.split(`// #region ${region}\n`)[1]?.split('// #endregion')[0];
    expect(code).toBe(body);
  },
);

test.each(['v1', 'v2'] as const)('the example for SDK %s runs: it serves, refuses, reports and ends', async (sdk) => {
  const receiver = opened(new RecordingReceiver());
  const example = fork(fileURLToPath(here(`examples/sdk-${sdk}-server.ts`)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PORT: '0',
      TIDEMARK_URL: await receiver.listen(),
      TSX_TSCONFIG_PATH: fileURLToPath(here('tsconfig.json')),
    },
  });
  const exit = once(example, 'exit');
  const [line] = await once(createInterface(example.stdout ?? process.stdin), 'line');
  const { port } = JSON.parse(String(line).slice('listening: '.length));
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const client = await connect(url, sdk);
  expect(await client.call('hello', {})).toMatchObject({ content: [{ text: 'hello' }] });
  const { response } = await resumeGet(url, client.sessionId ?? '', 'never-issued');
  expect(response.status).toBe(409);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  expect(receiver.of('session')).toMatchObject([{ event: 'created', server: 'my-server' }]);
  example.disconnect();
  example.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
