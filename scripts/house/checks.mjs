import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run, step } from './step.mjs';

const LAYERED = ['app', 'bench', 'bin', 'components', 'db', 'demo', 'lib', 'packages', 'server'];
/** Two cores are the least that builds run on; more at once only makes each of them slower. */
const AT_ONCE = 2;

/** Checks of the sources that need no database and no browser; each is one program. */
const CHECKS = [
  { name: 'format', program: ['@biomejs/biome', 'biome', 'format', '.'] },
  { name: 'lint', program: ['@biomejs/biome', 'biome', 'lint', '.', '--error-on-warnings'] },
  { name: 'types', program: ['typescript', 'tsc', '--noEmit'] },
  {
    name: 'layers',
    program: ['dependency-cruiser', 'depcruise', '--config', '.dependency-cruiser.cjs', ...LAYERED.filter((folder) => existsSync(folder))],
  },
  { name: 'dead code', program: ['knip', 'knip', '--no-config-hints'] },
  { name: 'documents', script: 'scripts/check-docs.mjs' },
];

/** Runs every check, two at a time, and answers how many passed and failed. A failed check shows its output. */
export async function runChecks() {
  const queue = [...CHECKS];
  const outcome = { passed: 0, failed: 0 };
  const work = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const isGood = await runCheck(check);
      outcome[isGood ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}

async function runCheck({ name, program, script }) {
  const args = program === undefined ? [script] : [binary(program[0], program[1]), ...program.slice(2)];
  const code = await step(`check: ${name}`, () => run(process.execPath, args, { quiet: true }));
  if (code !== 0) console.error(`tidemark check failed: ${name}`);
  return code === 0;
}

/** The file behind a package's command: run by Node itself, without a shell between. */
function binary(packageName, command) {
  const require = createRequire(import.meta.url);
  const manifestPath = join('node_modules', packageName, 'package.json');
  const { bin } = require(join(process.cwd(), manifestPath));
  return join(dirname(manifestPath), typeof bin === 'string' ? bin : bin[command]);
}
