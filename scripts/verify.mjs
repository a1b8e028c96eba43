// `npm run verify`: everything that needs neither a database nor a browser, in under a minute.
import './house/require-node.mjs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './house/installed.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
await ensureInstalled();
const { runChecks } = await import('./house/checks.mjs');
const { runProject } = await import('./house/vitest.mjs');
const outcomes = [await runChecks(), await runProject('unit')];
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
