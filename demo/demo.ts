import { Command, InvalidArgumentError } from 'commander';
import { runDemo } from './run-demo';

const REACHED_WITHIN_MS = 3000;

const program = new Command('npm run demo --')
  .description('Runs real MCP servers and clients on loopback that fail as they do in the field, and reports them to Tidemark.')
  .option('--url <url>', 'where Tidemark listens', 'http://127.0.0.1:4700')
  .option('--seconds <n>', 'how long to run', positive, 120)
  .option('--key <key>', 'key of the intake, where it asks for one')
  .parse();
const options = program.opts<{ url: string; seconds: number; key?: string }>();

function positive(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new InvalidArgumentError('must be a number above 0');
  return seconds;
}

const say = (line: string) => console.log(line);
const over = new AbortController();
process.once('SIGINT', () => over.abort());
process.once('SIGTERM', () => over.abort());

try {
  await fetch(new URL('/healthz', options.url), { signal: AbortSignal.timeout(REACHED_WITHIN_MS) });
} catch {
  console.error(`Tidemark does not answer at ${options.url}. Start it with npm start, or give its address with --url.`);
  process.exit(1);
}
say(
  `Reporting to ${options.url} for ${options.seconds} s. Everything listens on loopback and ends with this command (Ctrl-C to end it now).`,
);
const timer = setTimeout(() => over.abort(), options.seconds * 1000);
await runDemo({ url: options.url, key: options.key, say, signal: over.signal });
clearTimeout(timer);
say(`Done. The overview is at ${options.url}`);
process.exit(0);
