import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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
