import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU per part: this process (it sends), the edge, and Postgres by what its processes do. */
export type CpuByPart = ReadonlyMap<string, number>;

/** Linux counts in hundredths of a second whatever the machine. */
const US_PER_TICK = 10_000;

/** CPU used so far. What ended processes used is their parent's: a psql and its backend are counted once they are gone. Linux only. */
export function cpuNow(edge: number | undefined, postmaster: number | null): CpuByPart {
  const { user, system } = process.cpuUsage();
  const parts = new Map([['senders', user + system]]);
  if (edge !== undefined) add(parts, 'edge', statOf(edge)?.own);
  if (postmaster === null) return parts;
  add(parts, 'postgres: ended', statOf(postmaster)?.ended);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(Number(pid));
    if (stat?.parent === postmaster) add(parts, `postgres: ${roleOf(pid)}`, stat.own);
  }
  return parts;
}

/** What was used in between, in microseconds per record, the largest first; parts below a tenth are left out. */
export function cpuText(before: CpuByPart, after: CpuByPart, records: number): string {
  const used = [...after].map(([part, us]) => [part, (us - (before.get(part) ?? 0)) / records] as const);
  const sum = used.reduce((all, [, us]) => all + us, 0);
  const shown = used.filter(([, us]) => us >= 0.1).sort(([, a], [, b]) => b - a);
  return `${sum.toFixed(1)} µs of CPU per record: ${shown.map(([part, us]) => `${part} ${us.toFixed(1)}`).join(', ')}`;
}

function add(parts: Map<string, number>, part: string, us = 0): void {
  parts.set(part, (parts.get(part) ?? 0) + us);
}

/** Process title after its name, without what changes: `postgres: walwriter`, `postgres: postgres tidemark [local] COPY`. */
function roleOf(pid: string): string {
  const title = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  return /^postgres: [^[]*\[local\]/.test(title) ? 'connections' : title.replace(/^postgres: /, '').replace(/ .*$/, '');
}

function statOf(pid: number): { parent: number; own: number; ended: number } | null {
  const text = read(`/proc/${pid}/stat`);
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  return text === '' ? null : { parent, own: (utime + stime) * US_PER_TICK, ended: (cutime + cstime) * US_PER_TICK };
}

/** Empty where the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
