#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/tidemark.mjs', import.meta.url);

/** A checkout builds the command at its first use; where the build tools are missing it says what to do. */
async function build() {
  const cwd = process.cwd();
  try {
    process.chdir(fileURLToPath(new URL('..', import.meta.url)));
    await import('../scripts/build-cli.mjs');
  } finally {
    process.chdir(cwd);
  }
}

try {
  if (!existsSync(built)) await build();
} catch (error) {
  console.error(`tidemark is not built and cannot be built here (${error.message}): run "npm ci", then "npm run build:cli".`);
  process.exit(2);
}
await import(built.href);
