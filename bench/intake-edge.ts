import type { DatabaseAddress } from '@/db/connect';
import { loadConfig } from '@/lib/config/load-config';
import { startEdge } from '@/tests/integration/edge';

/** The edge in a process of its own; `deployed` with everything beside the intake that `npm start` runs in it, by the configuration's defaults. */
const [, , address = '', how] = process.argv;
const config = loadConfig({});
if (!config.ok) throw new Error('the defaults are no configuration');
const beside = how === 'deployed' ? { audit: {}, alerts: { config: config.value.alerts, baseUrl: 'http://127.0.0.1' } } : {};
const edge = await startEdge(JSON.parse(address) as DatabaseAddress, { migrationsFolder: 'db/migrations' }, beside);
console.log(edge.base);
process.on('SIGTERM', () => {
  const { user, system } = process.cpuUsage();
  console.error(`edge: ${((user + system) / 1e6).toFixed(1)} s of CPU, ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  void edge.stop().then(() => process.exit(0));
});
