// `npm test [project…]`: sets up what is missing, then checks and tests everything, and ends with one plain line.
import './house/require-node.mjs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './house/built.mjs';
import { ensureInstalled } from './house/installed.mjs';
import { needProgram } from './house/system-programs.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
process.env.NEXT_TELEMETRY_DISABLED = '1';
await ensureInstalled();
const { runChecks } = await import('./house/checks.mjs');
const { runProject } = await import('./house/vitest.mjs');

/** What says most about SQL that the oldest supported server must take: every migration, and what stores, folds, reads and drops rows. */
const ON_OLDEST_POSTGRES = {
  stage: 'postgres15',
  files: ['migrations', 'rollups', 'retention', 'intake', 'stored-rows', 'read-api', 'screens-api', 'annotations', 'keys'].map(
    (name) => `tests/integration/${name}.test.ts`,
  ),
};

/** In the order of their cost. */
const STAGES = {
  verify: () => runChecks(),
  unit: () => runProject('unit'),
  integration: () => runProject('integration'),
  postgres15: async () => runProject('integration', { TIDEMARK_TEST_POSTGRES: await needProgram('PostgreSQL 15') }, ON_OLDEST_POSTGRES),
  alerting: () => runProject('alerting'),
  sdk: () => runProject('sdk'),
  proxy: async () => runProject('proxy', { TIDEMARK_REDIS_SERVER: await needProgram('redis-server') }),
  e2e: async () => {
    const chromium = await needProgram('chromium');
    await ensureBuilt();
    return runProject('e2e', { TIDEMARK_CHROMIUM: chromium });
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(STAGES, name));
if (unknown.length > 0) {
  console.error(`tidemark: no such stage: ${unknown.join(', ')}; there are ${Object.keys(STAGES).join(', ')}`);
  process.exit(1);
}
const total = { passed: 0, failed: 0 };
for (const [name, runStage] of Object.entries(STAGES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { passed, failed } = await runStage();
  total.passed += passed;
  total.failed += failed;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
