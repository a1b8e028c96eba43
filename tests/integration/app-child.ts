import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { DatabaseAddress } from '@/db/connect';
import type { ServicesConfig } from '@/server/services';

/** Starts the edge as a process of its own that can be killed. */
export async function startAppProcess(
  address: DatabaseAddress,
  config: Partial<ServicesConfig> = {},
): Promise<{ child: ChildProcess; base: string }> {
  const args = ['--import', 'tsx', 'tests/integration/app-process.ts', JSON.stringify(address), JSON.stringify(config)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('no output to read the address from');
  const [base] = await once(createInterface(child.stdout), 'line');
  return { child, base: String(base) };
}
