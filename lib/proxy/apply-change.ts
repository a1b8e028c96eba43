import { assertNever } from '@/lib/base/assert-never';
import type { LogChange } from '@/lib/proxy/log-store';
import type { SessionLog } from '@/lib/session-log/session-log';

/** Applies a change to a log. Deterministic, so that every replica that applies the same changes holds the same log. */
export function applyChange(log: SessionLog, change: LogChange, now: number): void {
  switch (change.kind) {
    case 'generation':
      applyGeneration(log, change);
      return;
    case 'instance':
      log.instance = change.instance;
      return;
    case 'told':
      // Every replica hears the same words: who was told as much before has nothing to do.
      if (log.told !== null && log.told.place >= change.told.place) return;
      if (change.rebuilt !== 'no') log.startGeneration(change.rebuilt === 'maybe');
      log.told = change.told;
      return;
    case 'fence':
      log.isFenced = true;
      return;
    case 'end':
      log.end(now);
      return;
    case 'loss':
      log.openStream(change.stream, change.requestId, now).appendLoss(now);
      return;
    case 'unread': {
      const stream = log.stream(change.stream);
      if (stream !== null && stream.head > 0) stream.appendLoss(now);
      return;
    }
    case 'hole':
      log.stream(change.stream)?.markHole(change.position);
      return;
    case 'answered':
      log.stream(change.stream)?.noteAnswered(change.ids);
      return;
    case 'finish': {
      const stream = log.stream(change.stream);
      if (stream !== null) stream.isFinished = true;
      return;
    }
    case 'reader': {
      const stream = log.openStream(change.stream, change.requestId, now);
      if (change.isReading) stream.reader = change.node;
      else if (stream.reader === change.node) stream.reader = null;
      return;
    }
    default:
      assertNever(change);
  }
}

/** Every replica notices by itself: who was told as much before has nothing to do. */
function applyGeneration(log: SessionLog, { isDoubtful, incarnation, instance }: Extract<LogChange, { kind: 'generation' }>): void {
  if (incarnation !== undefined && log.incarnation === incarnation) return;
  if (instance !== undefined && log.instance === instance) return;
  log.startGeneration(isDoubtful);
  log.incarnation = incarnation ?? log.incarnation;
  log.instance = instance ?? log.instance;
}

/** The token is alive again, by a new `initialize` or because the upstream answers for it: a new generation. */
export function reopen(log: SessionLog, isHeardFromStart: boolean): void {
  log.startGeneration();
  log.beginAnew();
  log.state = 'live';
  log.told = null;
  log.isFenced = false;
  log.isHeardFromStart = isHeardFromStart;
}
