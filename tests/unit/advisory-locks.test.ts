import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test('no two jobs take the same advisory lock: each would keep the other from running', () => {
  const files = ['db', 'lib', 'server'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const locks = files.flatMap((file) =>
    [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/const \w*LOCK\w* = ([\d_]+);/g)].map(([, number = '']) =>
      number.replaceAll('_', ''),
    ),
  );
  expect(locks.length).toBeGreaterThanOrEqual(4);
  expect(locks).toEqual([...new Set(locks)]);
});
