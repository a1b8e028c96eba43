import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Result } from '@/lib/base/result';
import type { Config } from './config';
import type { ConfigProblem } from './config-problem';
import { type FileText, parseConfig } from './parse-config';

const FILE_BYTES_MAX = 4 * 1024 * 1024;

/** Reads the configuration of this process: its environment and the file that TIDEMARK_CONFIG names. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Result<Config, readonly ConfigProblem[]> {
  const path = env['TIDEMARK_CONFIG'];
  const parsed = parseConfig(env, path === undefined || path === '' ? null : readText(resolve(path)));
  return parsed.ok ? { ok: true, value: { ...parsed.value, dataDir: resolve(parsed.value.dataDir) } } : parsed;
}

function readText(path: string): FileText {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > FILE_BYTES_MAX ? { unreadable: 'it is larger than 4 MiB' } : { text };
  } catch (cause) {
    return { unreadable: cause instanceof Error ? cause.message : String(cause) };
  }
}
