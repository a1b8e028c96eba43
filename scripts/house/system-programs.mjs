import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run, step } from './step.mjs';

/**
 * Programs of the operating system that tests need: where each may be found, and what installs it. One more is one line.
 */
const PROGRAMS = {
  chromium: {
    variables: ['TIDEMARK_CHROMIUM', 'CHROME_PATH'],
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    debian: 'chromium',
  },
  'redis-server': { variables: ['TIDEMARK_REDIS_SERVER'], commands: ['redis-server'], debian: 'redis-server' },
  nginx: { variables: ['TIDEMARK_NGINX'], commands: ['nginx', '/usr/sbin/nginx'], debian: 'nginx-light' },
  // The oldest that Tidemark works with: the folder of its programs.
  'PostgreSQL 15': {
    variables: ['TIDEMARK_TEST_POSTGRES'],
    commands: ['/usr/lib/postgresql/15/bin', '/opt/homebrew/opt/postgresql@15/bin', '/usr/local/opt/postgresql@15/bin'],
    debian: 'postgresql-15',
    beforeInstall: withoutMainCluster,
  },
};

/**
 * Finds a program, as root on Debian or Ubuntu after installing the distribution's package, and answers its path. Ends this
 * process with one line that says what to install when there is none.
 */
export async function needProgram(name) {
  const found = find(name) ?? (await installed(name));
  if (found !== null) return found;
  const { variables, debian } = PROGRAMS[name];
  console.error(
    `tidemark: the tests need ${name}: install it (Debian, Ubuntu: apt-get install ${debian}) or set ${variables[0]} to its path.`,
  );
  process.exit(1);
}

function find(name) {
  const { variables, commands } = PROGRAMS[name];
  const set = variables.map((variable) => process.env[variable]).find((path) => path !== undefined && path !== '');
  if (set !== undefined) return existsSync(set) ? set : null;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = commands.flatMap((command) => (command.startsWith('/') ? [command] : folders.map((folder) => join(folder, command))));
  return places.find((path) => existsSync(path)) ?? null;
}

async function installed(name) {
  if (process.getuid?.() !== 0 || !isDebian()) return null;
  const { debian, beforeInstall } = PROGRAMS[name];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold'];
  await step(`installing ${debian} (apt-get)`, async () => {
    beforeInstall?.();
    await run('apt-get', ['update', '-qq'], { quiet: true, env });
    await run('apt-get', ['install', ...options, debian], { quiet: true, env });
  });
  return find(name);
}

const CREATE_CLUSTER = '/etc/postgresql-common/createcluster.conf';

/** Debian's package would make a database of its own and start it; the tests want the programs only. */
function withoutMainCluster() {
  if (existsSync(CREATE_CLUSTER)) return;
  mkdirSync(dirname(CREATE_CLUSTER), { recursive: true });
  writeFileSync(CREATE_CLUSTER, 'create_main_cluster = false\n');
}

function isDebian() {
  return (
    existsSync('/etc/os-release') &&
    /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8')) &&
    existsSync('/usr/bin/apt-get')
  );
}
