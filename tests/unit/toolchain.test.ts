import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Manifest {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

test('every place that names a Node version agrees', () => {
  const minimum = manifest.engines.node.replace('>=', '');
  expect(readFileSync('.nvmrc', 'utf8').trim()).toBe(minimum.split('.')[0]);
  expect(readFileSync('scripts/house/require-node.mjs', 'utf8')).toContain(`Node.js ${minimum} or newer`);
  expect(readFileSync('README.md', 'utf8')).toContain(`Node.js ${minimum}`);
});

test('the lockfile names no registry, so that it installs from any', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
});

test('CI runs the test command of the README', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('npm test');
  expect(readFileSync('.ci/run', 'utf8')).toMatch(/^exec npm test$/m);
});
