/** A process that owns an embedded server, writes one committed row and stays: the victim of the kill tests. */
import postgres from 'postgres';
import { startEmbeddedPostgres } from '@/lib/postgres/supervisor';

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '' });
const sql = postgres({ ...server.connection, max: 1, onnotice: () => undefined });
await sql`create table if not exists kept (n int)`;
await sql`insert into kept values (1)`;
console.log(`committed ${server.pid()}`);
setInterval(() => undefined, 60_000);
