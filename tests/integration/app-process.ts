import type { DatabaseAddress } from '@/db/connect';
import { startEdge } from './edge';

/** The edge as a process of its own, so that a test can kill it. Prints its address when it answers. */
const database = JSON.parse(process.argv[2] ?? '') as DatabaseAddress;
const edge = await startEdge(database);
console.log(edge.base);
