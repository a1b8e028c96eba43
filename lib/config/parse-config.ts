import { err, ok, type Result } from '@/lib/base/result';
import type { Config } from './config';
import type { ConfigProblem } from './config-problem';
import { isLoopback } from './loopback';
import { EMPTY_FILE, type FileConfig, parseConfigFile } from './parse-file';

const PORT_DEFAULT = 4700;
const SECRET_CHARS_MIN = 16;

type Environment = Readonly<Record<string, string | undefined>>;

/** Content of the file that TIDEMARK_CONFIG names, or why it cannot be read; null when the variable is unset. */
export type FileText = { readonly text: string } | { readonly unreadable: string } | null;

/**
 * The configuration as a function of the environment and the file's content. Every problem is listed, in the
 * order of the variables; an empty variable counts as unset. No problem quotes a value that may be a secret.
 */
export function parseConfig(env: Environment, file: FileText): Result<Config, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const report = (path: string, message: string, nextStep?: string) =>
    problems.push({ code: 'config_invalid', path, message, ...(nextStep === undefined ? {} : { nextStep }) });
  const value = (name: string): string | null => (env[name] === undefined || env[name] === '' ? null : env[name]);

  const port = parsePort(value('PORT'));
  if (port === null) report('PORT', 'must be an integer from 0 to 65535');
  const host = value('HOST') ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:[\]_%-]+$/.test(host)) report('HOST', 'must be an address or a host name');
  const databaseUrl = value('DATABASE_URL');
  if (databaseUrl !== null && !isUrl(databaseUrl, ['postgres:', 'postgresql:'])) report('DATABASE_URL', 'must be a postgres:// URL');
  const redisUrl = value('REDIS_URL');
  if (redisUrl !== null && !isUrl(redisUrl, ['redis:', 'rediss:'])) report('REDIS_URL', 'must be a redis:// or rediss:// URL');
  const secret = value('TIDEMARK_SECRET');
  if (secret !== null && secret.length < SECRET_CHARS_MIN) report('TIDEMARK_SECRET', `must have at least ${SECRET_CHARS_MIN} characters`);

  const content = readFile(file, problems);
  const auth = parseAuth(value('TIDEMARK_AUTH'), host, content.keys.length > 0, problems);
  if (problems.length > 0 || port === null) return err(problems);
  const dataDir = value('DATA_DIR') ?? '.data';
  return ok({ ...content, host: host.replace(/^\[|\]$/g, ''), port, dataDir, databaseUrl, redisUrl, auth, secret });
}

function parsePort(text: string | null): number | null {
  if (text === null) return PORT_DEFAULT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : null;
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function readFile(file: FileText, problems: ConfigProblem[]): FileConfig {
  if (file === null) return EMPTY_FILE;
  if ('unreadable' in file) {
    problems.push({ code: 'config_file_unreadable', path: 'TIDEMARK_CONFIG', message: `the file cannot be read: ${file.unreadable}` });
    return EMPTY_FILE;
  }
  const parsed = parseConfigFile(file.text);
  if (parsed.ok) return parsed.value;
  problems.push(...parsed.error);
  return EMPTY_FILE;
}

/**
 * On loopback authentication is off unless asked for. Anywhere else it is on, and must have been set up: asked for by
 * name or given a key, so that nobody opens a port to a network by setting HOST alone.
 */
function parseAuth(text: string | null, host: string, hasKeys: boolean, problems: ConfigProblem[]): 'on' | 'off' {
  if (text !== null && text !== 'on' && text !== 'off') {
    problems.push({ code: 'config_invalid', path: 'TIDEMARK_AUTH', message: 'must be on or off' });
    return 'on';
  }
  if (isLoopback(host)) return text ?? 'off';
  if (text === 'off' || (text === null && !hasKeys)) {
    problems.push({
      code: 'config_auth_required',
      path: 'HOST',
      message: 'other machines can reach this address, so authentication must be configured',
      nextStep: 'add a key to "keys" in the file of TIDEMARK_CONFIG or set TIDEMARK_AUTH=on, or listen on 127.0.0.1',
    });
  }
  return 'on';
}
