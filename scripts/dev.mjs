// `npm run dev`: the same server from its sources, with Next's development mode behind it.
import './house/require-node.mjs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchAncestors } from './house/ancestors.mjs';
import { ensureInstalled } from './house/installed.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
process.env.NEXT_TELEMETRY_DISABLED = '1';
watchAncestors(() => process.kill(process.pid, 'SIGTERM'));
await ensureInstalled();
process.argv.push('--dev');
const { register } = await import('tsx/esm/api');
register();
await import('../server/main.ts');
