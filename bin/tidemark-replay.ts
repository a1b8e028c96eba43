import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { importBundle } from '@/lib/bundle/import-bundle';
import { type DrivenResume, drive } from '@/lib/drive/drive';
import { type DrivePlan, drivePlan } from '@/lib/drive/plan';
import { readTarget } from '@/lib/drive/target';

export interface ReplayOptions {
  readonly target: string;
  readonly allow: readonly string[];
  readonly header: readonly string[];
  readonly speed: number;
  readonly rate: number;
  readonly yes: boolean;
}

/** Exit status: 0 the target resumed nothing that the rules refuse, 1 it did, 2 nothing was driven. */
export async function replay(file: string, options: ReplayOptions): Promise<number> {
  const target = readTarget(options.target, options.allow);
  if (!target.ok) return refuse(target.error);
  const headers = headersOf(options.header);
  if (headers === null) return refuse('--header takes a name and a value: "authorization: Bearer …"');
  const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return refuse(`${file} cannot be read`);
  const read = importBundle(text, { sha256, sessionRef: (server, token) => sha256(`${server}\0${token}`).slice(0, 32) });
  if (!read.ok) return refuse(`${file}: ${read.error.path} ${read.error.message} [${read.error.code}]\n${read.error.next_step}`);
  const plan = drivePlan(read.value.records);
  if (!(await isConfirmed(plan, target.value, options))) return refuse('nothing was sent');
  try {
    const resumes = await drive(plan, { target: target.value, headers, speed: options.speed, rate: options.rate, onResume: tell });
    const unsafe = resumes.filter(({ rules, actual }) => rules?.verdict === 'refuse' && actual.verdict === 'resumed');
    say(`${resumes.length} resumes, ${unsafe.length} of them resumed against the rules.`);
    return unsafe.length > 0 ? 1 : 0;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

async function isConfirmed({ steps, callsLeftOut }: DrivePlan, target: URL, { yes, speed }: ReplayOptions): Promise<boolean> {
  const sessions = new Set(steps.map(({ session }) => session)).size;
  const resumes = steps.filter(({ kind }) => kind === 'resume').length;
  const leftOut = callsLeftOut === 0 ? '' : `; ${callsLeftOut} calls are left out, since their arguments are not recorded`;
  say(
    `${sessions} sessions, ${steps.length} steps and ${resumes} resumes against ${target.href}, ${speed} times as fast as recorded${leftOut}.`,
  );
  if (yes) return true;
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('Go on? [y/N] ');
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

function tell({ index, recorded, rules, sent, isRecordedCursor, actual }: DrivenResume): void {
  const now = `${actual.verdict}${actual.status === null ? '' : ` ${actual.status}`}${actual.code === null ? '' : ` (${actual.code})`}`;
  const then = `${recorded.verdict}${recorded.status === null ? '' : ` ${recorded.status}`}`;
  const cursor = `${JSON.stringify(sent)}${isRecordedCursor ? '' : ", the target's own id"}`;
  say(
    `record ${index}, cursor ${cursor}: recorded ${then}, rules ${rules === null ? 'open' : `${rules.verdict} ${rules.reason}`}, now ${now}`,
  );
}

function headersOf(lines: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
