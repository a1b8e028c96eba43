import type { ServerResponse } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { LegJournal } from '@/lib/proxy/leg-journal';
import type { StreamHold } from '@/lib/proxy/log-store';
import { type AcceptedResume, cursorOf, reportServed, resumeHeaders } from '@/lib/proxy/resume-own';
import { STREAM_HEADERS } from '@/lib/proxy/terminal-event';
import type { SessionLog } from '@/lib/session-log/session-log';
import type { StreamLog } from '@/lib/session-log/stream-log';

/** Another process that reads the stream; null where none is known to. */
export function readerElsewhere({ ctx }: Call, { reader }: StreamLog): string | null {
  return !ctx.store.isShared || reader === ctx.node ? null : reader;
}

/** Whether that process is alive. Where this one cannot follow it, it is asked to let go of the stream. */
export async function isAliveElsewhere(
  { ctx, route }: Call,
  { key, stream }: { readonly key: string; readonly stream: string },
  reader: string,
): Promise<boolean> {
  const isAlive = await ctx.store.isReaderAlive(reader);
  if (isAlive && route.route.replay !== 'proxy') await ctx.store.release(reader, key, stream);
  return isAlive;
}

/**
 * Another replica reads the stream: its frames come through the shared log. Replay and live are one loop over the
 * log, so there is no hand-off to get wrong. False when the stream must be taken over instead.
 */
export function followOtherReader(call: Call, accepted: AcceptedResume, reader: string, hold: StreamHold | null): boolean {
  if (call.route.route.replay !== 'proxy') return false;
  const events = accepted.stream.after(cursorOf(accepted));
  if (!events.every((event) => event.frame !== null)) return false;
  call.res.writeHead(200, { ...STREAM_HEADERS, ...resumeHeaders(accepted) });
  call.res.flushHeaders();
  reportServed(call, accepted, events);
  new Follower(call, accepted, reader, hold).start();
  return true;
}

const CHECK_READER_EVERY_MS = 1000;

class Follower {
  private position: number;
  private isRunning = false;
  private isDue = false;
  private stopWatching: (() => void) | null = null;
  private readonly journal: LegJournal;
  private readonly generation: string;
  private readonly numberedFrom: number;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly call: Call,
    private readonly accepted: AcceptedResume,
    private readonly reader: string,
    private readonly hold: StreamHold | null,
  ) {
    const { route, ctx, version } = call;
    this.position = cursorOf(accepted);
    this.generation = accepted.log.generation;
    this.numberedFrom = accepted.log.numberedFrom;
    const names = { server: route.route.name, session: accepted.token, stream: accepted.stream.name, protocolVersion: version };
    this.journal = new LegJournal(ctx.telemetry, names);
    this.timer = setInterval(() => this.step(), CHECK_READER_EVERY_MS);
    this.timer.unref();
  }

  start(): void {
    this.stopWatching = this.call.ctx.store.watch(this.accepted.key, () => this.step());
    this.call.res.on('close', () => this.stop());
    this.step();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.stopWatching?.();
    this.stopWatching = null;
  }

  /** One pass over the log at a time; what comes meanwhile asks for another. */
  private step(): void {
    this.isDue = true;
    if (this.isRunning) return;
    this.isRunning = true;
    this.run()
      .catch(() => this.call.res.destroy())
      .finally(() => {
        this.isRunning = false;
      });
  }

  private async run(): Promise<void> {
    const { res } = this.call;
    while (this.isDue && !res.destroyed && !res.writableEnded) {
      this.isDue = false;
      await this.pass();
    }
  }

  private async pass(): Promise<void> {
    const { res, ctx } = this.call;
    // Asked first: a reader that is alive now has logged everything that it relayed before now.
    const isAlive = await ctx.store.isReaderAlive(this.reader);
    const log = await ctx.store.find(this.accepted.key);
    // Asked last: what is read of the log by a replica that stood still may be served by another one meanwhile.
    if (this.hold !== null && !(await this.hold.verify())) return;
    const stream = log?.stream(this.accepted.stream.name) ?? null;
    if (log === null || stream === null || !this.isSame(log) || stream.floor > this.position + 1) {
      res.destroy();
      return;
    }
    for (const event of stream.after(this.position)) {
      if (res.writableEnded) return;
      if (event.frame === null) {
        res.end();
        return;
      }
      this.position = event.position;
      this.journal.noteDelivered(event, this.generation, this.call.conn);
      if (!res.write(event.frame)) await drained(res);
    }
    // Nothing more comes, or nobody is known to bring it: the client comes back with its cursor.
    if (stream.isFinished || stream.reader !== this.reader || !isAlive) res.end();
  }

  /** Whether positions of the log are those that this client was served by. */
  private isSame(log: SessionLog): boolean {
    return log.generation === this.generation && log.numberedFrom === this.numberedFrom && !log.isFenced;
  }
}

/** Resolves once the response can take more, or takes no more ever; leaves no listener behind. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
}
