import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { run, step } from './step.mjs';

const REPORTS = 'test-results';
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--reporter=json'];

/**
 * Runs the tests of one project, of `files` only where some are named, and counts them from its report. A file that cannot
 * run, and a skipped test, count as failed. `stage` is what the progress line and the report are called.
 */
export async function runProject(name, env = {}, { stage = name, files = [] } = {}) {
  const report = `${REPORTS}/${stage}.json`;
  mkdirSync(REPORTS, { recursive: true });
  rmSync(report, { force: true });
  const code = await step(`tests: ${stage}`, () =>
    run(process.execPath, [...VITEST, '--project', name, `--outputFile.json=${report}`, ...files], { env }),
  );
  const outcome = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
  if (outcome.passed + outcome.failed === 0) console.error(`tidemark: no test of "${stage}" ran`);
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
