import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { run, step } from './step.mjs';

const REPORTS = 'test-results';

/** Runs the tests of one project and counts them from its report. A file that cannot run, and a skipped test, count as failed. */
export async function runProject(name, env = {}) {
  const report = `${REPORTS}/${name}.json`;
  mkdirSync(REPORTS, { recursive: true });
  rmSync(report, { force: true });
  const code = await step(`tests: ${name}`, () =>
    run(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', name, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
      { env },
    ),
  );
  const outcome = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
  if (outcome.passed + outcome.failed === 0) console.error(`tidemark: no test of "${name}" ran`);
  // Whatever vitest calls a failure is one here too, also when no single test carries it.
  const isExplained = outcome.failed > 0 || (code === 0 && outcome.passed > 0);
  return isExplained ? outcome : { ...outcome, failed: 1 };
}

function count({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const broken = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0).length;
  const skipped = numPendingTests + numTodoTests;
  if (skipped > 0) console.error(`tidemark: ${skipped} tests were skipped, which counts as failed`);
  return { passed: numPassedTests, failed: numFailedTests + skipped + broken };
}
