import { build } from 'esbuild';

// commander is CommonJS and asks for node: modules by `require`, which a bundled ES module has to be given.
await build({
  entryPoints: ['bin/tidemark.ts'],
  outfile: 'dist/tidemark.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
