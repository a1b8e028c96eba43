import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installSecret } from './install-secret';

test('the secret is made once, readable by its owner only, and a configured one wins without being written', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'tidemark-secret-')), 'data');
  try {
    expect(installSecret('configured', dataDir)).toBe('configured');
    const made = installSecret(null, dataDir);
    expect(made.length).toBeGreaterThanOrEqual(43);
    expect(installSecret(null, dataDir)).toBe(made);
    expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(join(dataDir, '..'), { recursive: true });
  }
});
