import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, type Result } from '@/lib/base/result';
import type { Config, RouteConfig } from './config';
import type { ConfigProblem } from './config-problem';
import { type FileText, parseConfig } from './parse-config';

const FILE_BYTES_MAX = 4 * 1024 * 1024;

/** Reads the configuration of this process: its environment and the file that TIDEMARK_CONFIG names. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Result<Config, readonly ConfigProblem[]> {
  const path = env['TIDEMARK_CONFIG'];
  const parsed = parseConfig(env, path === undefined || path === '' ? null : readText(resolve(path)));
  if (!parsed.ok) return parsed;
  const problems: ConfigProblem[] = [];
  const routes = parsed.value.routes.map((route, index) => withCertificates(route, `proxy.routes[${index}].upstream_ca`, problems));
  return problems.length > 0 ? err(problems) : { ok: true, value: { ...parsed.value, routes, dataDir: resolve(parsed.value.dataDir) } };
}

function withCertificates(route: RouteConfig, path: string, problems: ConfigProblem[]): RouteConfig {
  if (route.upstreamCaFile === null) return route;
  const file = readText(resolve(route.upstreamCaFile));
  const problem =
    file === null || 'unreadable' in file ? `cannot be read: ${file?.unreadable ?? 'it is empty'}` : unfitCertificates(file.text);
  if (problem !== null) problems.push({ code: 'config_invalid', path, message: problem });
  return file !== null && 'text' in file ? { ...route, upstreamCa: file.text } : route;
}

/** Whatever is no certificate would be passed over in silence, and the system's own be trusted instead. */
function unfitCertificates(text: string): string | null {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'holds no certificate';
  try {
    for (const block of blocks) new X509Certificate(block);
    return null;
  } catch (cause) {
    return `holds a certificate that cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

function readText(path: string): FileText {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > FILE_BYTES_MAX ? { unreadable: 'it is larger than 4 MiB' } : { text };
  } catch (cause) {
    return { unreadable: cause instanceof Error ? cause.message : String(cause) };
  }
}
