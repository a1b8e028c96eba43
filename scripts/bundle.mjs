// Bundles the server and its renderer for production; packages stay in node_modules.
import { existsSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const OUTPUT = 'dist/server';

rmSync(OUTPUT, { recursive: true, force: true });
await build({
  entryPoints: [
    'server/main.ts',
    'server/renderer.ts',
    'server/history/history-worker.ts',
    'server/auditor-worker.ts',

    'bin/tidemark.ts',
  ]
    .filter((path) => existsSync(path))
    .map((path) => ({ in: path, out: path.replace(/^.*\/|\.ts$/g, '') })),
  outdir: OUTPUT,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
});
