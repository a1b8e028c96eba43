import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { restoreNativeLinks } from './native-links';
import type { RunIdentity } from './run-identity';

/** A folder with `postgres` and `initdb` that the run identity can execute, and the server's major version. */
export interface Binaries {
  readonly binDir: string;
  readonly major: number;
}

/** Where the programs are taken from, where that is not left to the search. */
export interface ProgramSource {
  /** A folder with `postgres` and `initdb`; then no other is tried. */
  readonly binDir?: string;
  /** Root of an npm package with the programs, instead of the installed one; null leaves only those of the system. */
  readonly packageRoot?: string | null;
}

const MAJOR_MIN = 15;
const PROBE_MS = 10_000;

/** Where root keeps a copy that every user can reach, when the project folder is closed to others. */
const SHARED_CACHE = '/var/cache/tidemark';

/**
 * Finds PostgreSQL programs that really run under `identity`: those of the npm package in place, a copy of them
 * (read-only or unreachable `node_modules`), or those of the system. Every candidate is tried by executing it, which
 * also tells a missing library or a foreign C library. `stateDir` may receive the copy (60 MB).
 */
export function findBinaries(stateDir: string, identity: RunIdentity, source: ProgramSource = {}): Binaries {
  const tried: string[] = [];
  for (const candidate of candidates(stateDir, source)) {
    const binDir = candidate();
    if (binDir === null) continue;
    const outcome = probe(binDir, identity);
    if (outcome.major !== null) return { binDir, major: outcome.major };
    tried.push(`${binDir}: ${outcome.problem}`);
  }
  throw new EmbeddedPostgresError(
    'postgres_binaries_missing',
    `no PostgreSQL programs that run here${tried.length === 0 ? '' : `:\n  ${tried.join('\n  ')}`}`,
    `install PostgreSQL ${MAJOR_MIN} or newer (Debian: postgresql, Alpine: postgresql), or set DATABASE_URL to a server`,
  );
}

function* candidates(stateDir: string, source: ProgramSource): Generator<() => string | null> {
  const { binDir: named, packageRoot = installedPackageRoot() } = source;
  if (named !== undefined) {
    yield () => named;
    return;
  }
  if (packageRoot !== null) {
    yield () => linkedInPlace(packageRoot);
    yield () => copied(packageRoot, stateDir);
    if (process.getuid?.() === 0) yield () => copied(packageRoot, SHARED_CACHE);
  }
  for (const binDir of systemBinDirs()) yield () => binDir;
}

/** Root of the npm package with this platform's binaries; null when npm did not install one (unknown platform, musl). */
export function installedPackageRoot(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return dirname(dirname(entry));
  } catch {
    return null;
  }
}

function linkedInPlace(packageRoot: string): string {
  try {
    restoreNativeLinks(packageRoot);
  } catch {
    // Read-only folder: the probe tells whether a link is really missing, and a copy follows.
  }
  return join(packageRoot, 'native', 'bin');
}

function copied(packageRoot: string, parent: string): string | null {
  const home = join(parent, `postgres-programs-${packageVersion(packageRoot)}`);
  if (existsSync(home)) return join(home, 'native', 'bin');
  const unfinished = `${home}.${process.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    cpSync(join(packageRoot, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    openToAll(unfinished);
    restoreNativeLinks(unfinished);
    renameSync(unfinished, home);
  } catch {
    rmSync(unfinished, { recursive: true, force: true });
    return existsSync(home) ? join(home, 'native', 'bin') : null;
  }
  return join(home, 'native', 'bin');
}

/** A copy keeps the modes of its source, which may have been closed to the user that runs the server. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function packageVersion(packageRoot: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return 'unknown';
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}

function systemBinDirs(): readonly string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...pgConfigBinDir(),
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
  ];
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')));
}

function pgConfigBinDir(): readonly string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', timeout: PROBE_MS, stdio: ['ignore', 'pipe', 'ignore'] }).trim()];
  } catch {
    return [];
  }
}

function probe(binDir: string, identity: RunIdentity): { major: number; problem: null } | { major: null; problem: string } {
  let major = Number.NaN;
  for (const program of ['initdb', 'postgres']) {
    const run = spawnSync(join(binDir, program), ['--version'], { ...identity, encoding: 'utf8', timeout: PROBE_MS, cwd: '/' });
    if (run.error !== undefined) return { major: null, problem: `${program}: ${run.error.message}` };
    if (run.status !== 0) return { major: null, problem: `${program}: ${run.stderr.trim()}` };
    major = Number.parseInt(/\) (\d+)/.exec(run.stdout)?.[1] ?? '', 10);
  }
  if (major >= MAJOR_MIN) return { major, problem: null };
  return { major: null, problem: `version ${major} is older than ${MAJOR_MIN}` };
}
