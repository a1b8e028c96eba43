import type { DatabaseAddress } from '@/db/connect';
import { startEdge } from '@/tests/integration/edge';

/** The edge in a process of its own, as it runs in production. */
const edge = await startEdge(JSON.parse(process.argv[2] ?? '') as DatabaseAddress, { migrationsFolder: 'db/migrations' });
console.log(edge.base);
process.on('SIGTERM', () => {
  const { user, system } = process.cpuUsage();
  console.error(`edge: ${((user + system) / 1e6).toFixed(1)} s of CPU, ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  void edge.stop().then(() => process.exit(0));
});
