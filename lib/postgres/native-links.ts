import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Creates the library links that npm packages cannot carry and that the package's install script makes where
 * scripts are allowed: `native/pg-symlinks.json` lists them. Safe to repeat; throws where the folder is read-only.
 */
export function restoreNativeLinks(packageRoot: string): void {
  const list = join(packageRoot, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of decodeLinks(readFileSync(list, 'utf8'))) {
    const link = join(packageRoot, target);
    if (existsSync(link)) continue;
    const sameFolder = dirname(source) === dirname(target);
    symlinkSync(sameFolder ? basename(source) : join(packageRoot, source), link);
  }
}

function decodeLinks(text: string): readonly { source: string; target: string }[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.filter(
    (entry: unknown): entry is { source: string; target: string } =>
      typeof entry === 'object' &&
      entry !== null &&
      'source' in entry &&
      'target' in entry &&
      typeof entry.source === 'string' &&
      typeof entry.target === 'string',
  );
}
