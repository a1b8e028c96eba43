import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The secret that keys this install's hashes: `configured`, else the one kept in `dataDir/secret` (0600), made on
 * first use. Changing it makes known sessions look new, never readable.
 */
export function installSecret(configured: string | null, dataDir: string): string {
  if (configured !== null) return configured;
  const path = join(dataDir, 'secret');
  const existing = readSecret(path);
  if (existing !== null) return existing;
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // Never replaces: of two processes that start at once, both use the file that came first.
    linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readSecret(path);
  if (made === null) throw new Error(`${path} is empty: remove it, or set TIDEMARK_SECRET`);
  return made;
}

function readSecret(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? null : text;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw cause;
  }
}
