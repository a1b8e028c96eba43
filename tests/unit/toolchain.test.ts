import { readdirSync, readFileSync } from 'node:fs';
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

test('no source takes the path of its own URL by hand, which fails in a folder with spaces', () => {
  const folders = ['bench', 'bin', 'db', 'demo', 'lib', 'packages', 'scripts', 'server', 'tests'];
  const sources = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.includes('node_modules'));
  const careless = /import\.meta\.url\)\.path(?=name)/;
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((path) => careless.test(readFileSync(path, 'utf8')))).toEqual([]);
});
