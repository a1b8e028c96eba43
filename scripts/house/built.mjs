import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { must, step } from './step.mjs';

const PARTS = [
  {
    name: 'building the pages (next build)',
    stamp: '.next/tidemark-sources',
    sources: ['app', 'components', 'lib', 'public', 'docs/findings', 'next.config.js', 'tsconfig.json', 'package-lock.json'],
    command: ['node_modules/next/dist/bin/next', 'build'],
  },
  {
    name: 'bundling the server (esbuild)',
    stamp: 'dist/tidemark-sources',
    sources: ['server', 'lib', 'db', 'bin', 'packages', 'tsconfig.json', 'package-lock.json', 'scripts/bundle.mjs'],
    command: ['scripts/bundle.mjs'],
  },
];

/** Builds what changed since the last build; a build that was cut short counts as none. */
export async function ensureBuilt() {
  for (const { name, stamp, sources, command } of PARTS) {
    const wanted = fingerprint(sources);
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue;
    rmSync(stamp, { force: true });
    await step(name, () => must(process.execPath, command, { quiet: true, env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } }));
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  }
}

/** A digest of the content of every source file, tests aside, and of the Node version that builds. */
function fingerprint(sources) {
  const hash = createHash('sha256').update(process.versions.node);
  for (const path of sources.flatMap(filesUnder)) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  const entries = readdirSyncOrNull(path);
  if (entries === null) return [path];
  return entries
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist' && !/\.test\.tsx?$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesUnder(join(path, entry.name)) : entry.isFile() ? [join(path, entry.name)] : []));
}

function readdirSyncOrNull(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // A file stands for itself.
    return null;
  }
}
