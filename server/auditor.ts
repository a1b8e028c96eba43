import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AuditorSettings, FromAuditor, ToAuditor } from './auditor-messages';
import { startWorker } from './start-worker';

export interface AuditorParts {
  readonly settings: AuditorSettings;
  readonly log: (level: 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly metrics: Registry;
  /** Findings were stored, or attempts judged anew. */
  readonly onChange: () => void;
}

export interface AuditorService {
  /** Something was stored. */
  readonly wake: () => void;
  /** Saves where the audit stands, and ends. */
  readonly close: () => Promise<void>;
}

const WAKE_SPACING_MS = 100;
const BACKOFF_MS_MIN = 500;
const BACKOFF_MS_MAX = 30_000;
const HEALTHY_MS = 60_000;
const CLOSE_MS = 10_000;

/** Keeps the auditor's thread running; one that ends is started again and goes on from its checkpoints. */
export function startAuditor({ settings, log, metrics, onChange }: AuditorParts): AuditorService {
  const count = metersOn(metrics);
  const stopping = new AbortController();
  let worker: Worker | null = null;
  let lastWake = 0;
  let pendingWake: NodeJS.Timeout | null = null;
  const say = (message: ToAuditor): void => worker?.postMessage(message);

  const hear = (message: FromAuditor): void => {
    if (message.type === 'trouble') log('warn', message.message, { detail: message.detail, code: message.code });
    else if (message.type === 'progress') count.progress(message.servers, message.lagMs);
    else {
      count.stored(message);
      if (message.findings.length + message.rejudged > 0) onChange();
    }
  };

  const runOnce = async (): Promise<void> => {
    const running = startWorker('auditor-worker', settings);
    worker = running;
    running.on('message', hear);
    running.on('error', (cause) => log('error', 'the auditor failed', { cause }));
    await new Promise((resolve) => running.once('exit', resolve));
    worker = null;
  };

  const keepRunning = async (): Promise<void> => {
    let backoffMs = BACKOFF_MS_MIN;
    while (!stopping.signal.aborted) {
      const since = performance.now();
      await runOnce().catch((cause: unknown) => log('error', 'the auditor could not be started', { cause }));
      if (performance.now() - since > HEALTHY_MS) backoffMs = BACKOFF_MS_MIN;
      await pause(backoffMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX);
    }
  };
  const running = keepRunning();

  const wakeNow = (): void => {
    pendingWake = null;
    lastWake = performance.now();
    say({ type: 'wake' });
  };
  return {
    wake: () => {
      if (pendingWake !== null || stopping.signal.aborted) return;
      const wait = Math.max(0, lastWake + WAKE_SPACING_MS - performance.now());
      pendingWake = setTimeout(wakeNow, wait);
      pendingWake.unref();
    },
    close: async () => {
      stopping.abort();
      if (pendingWake !== null) clearTimeout(pendingWake);
      say({ type: 'close' });
      const force = setTimeout(() => void worker?.terminate(), CLOSE_MS);
      await running;
      clearTimeout(force);
    },
  };
}

function metersOn(registry: Registry) {
  const registers = [registry];
  const records = new Counter({ name: 'tidemark_audit_records_total', help: 'Stored records that were audited', registers });
  const rejudged = new Counter({
    name: 'tidemark_audit_rejudged_total',
    help: 'Attempts whose judgement the history completed or changed',
    registers,
  });
  const findings = new Counter({
    name: 'tidemark_findings_total',
    help: 'Findings stored, by code and severity',
    labelNames: ['code', 'severity'],
    registers,
  });
  const lag = new Gauge({
    name: 'tidemark_audit_lag_seconds',
    help: 'Age of the oldest stored record that waits to be audited by this process',
    registers,
  });
  const servers = new Gauge({ name: 'tidemark_audit_servers', help: 'Servers that this process audits', registers });
  return {
    progress: (held: number, lagMs: number): void => {
      servers.set(held);
      lag.set(lagMs / 1000);
    },
    stored: (message: Extract<FromAuditor, { type: 'stored' }>): void => {
      records.inc(message.records);
      rejudged.inc(message.rejudged);
      for (const { code, severity } of message.findings) findings.inc({ code, severity });
    },
  };
}
