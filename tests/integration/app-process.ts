import type { DatabaseAddress } from '@/db/connect';
import type { ServicesConfig } from '@/server/services';
import { startEdge } from './edge';

/** The edge as a process of its own, so that a test can kill it. Prints its address when it answers. */
const database = JSON.parse(process.argv[2] ?? '') as DatabaseAddress;
const config = JSON.parse(process.argv[3] ?? '{}') as Partial<ServicesConfig>;
const edge = await startEdge(database, {}, config);
console.log(edge.base);
