// `npm start`: set up what is missing, then serve. Plain Node: nothing is installed yet when this runs.
import './house/require-node.mjs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchAncestors } from './house/ancestors.mjs';
import { ensureBuilt } from './house/built.mjs';
import { ensureInstalled } from './house/installed.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
process.env.NODE_ENV = 'production';
process.env.NEXT_TELEMETRY_DISABLED = '1';
watchAncestors(() => process.kill(process.pid, 'SIGTERM'));
await ensureInstalled();
await ensureBuilt();
await import('../dist/server/main.js');
