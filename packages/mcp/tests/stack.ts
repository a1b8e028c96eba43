import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type ClientIdentity, connectClient, type DemoClient } from '@/demo/clients/mcp-client';
import { type Judgement, judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';
import { createTidemark, type Tidemark, type TidemarkOptions } from '../src/index.js';
import { RecordingReceiver } from './recording-receiver';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Registers what the test opened; closed after it in reverse order. */
export function opened<T extends { close(): Promise<unknown> }>(part: T): T {
  closers.push(() => part.close());
  return part;
}

/** A folder that goes after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-package-'));
  closers.push(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Telemetry {
  readonly receiver: RecordingReceiver;
  readonly tidemark: Tidemark;
}

/** A real intake and a reporter that sends to it at once. */
export async function startTelemetry(options: Partial<TidemarkOptions> = {}): Promise<Telemetry> {
  const receiver = opened(new RecordingReceiver());
  const onProblem = () => undefined;
  const url = await receiver.listen();
  const tidemark = createTidemark({
    url,
    server: 'under-test',
    node: 'n1',
    flushIntervalMs: 5,
    retryBaseMs: 5,
    hashKey: 'test',
    recording: 'everything',
    onProblem,
    ...options,
  });
  closers.push(() => tidemark.close(100));
  return { receiver, tidemark };
}

export async function connect(url: URL, sdk: ClientIdentity['sdk'] = 'v1'): Promise<DemoClient> {
  return opened(await connectClient(url, { sdk, name: `client-${sdk}`, version: '1.2.3' }));
}

/** A bare resume, as any client may send it. */
export async function resumeGet(
  url: URL,
  sessionId: string,
  lastEventId: string,
): Promise<{ response: Response; leave: () => Promise<void> }> {
  const response = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      'mcp-session-id': sessionId,
      'last-event-id': lastEventId,
      'mcp-protocol-version': '2025-11-25',
    },
  });
  return { response, leave: async () => void (await response.body?.cancel()) };
}

/** What the application itself makes of a reported attempt. */
export function judgementOf(record: ResumeAttemptRecord): Judgement {
  return judgeAttempt(attemptFacts(record), serverAct(record));
}
