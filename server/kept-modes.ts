import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import type { RouteMode } from '@/lib/proxy/route';
import type { KeptSetting, ModeSwitch, ProxyModes } from '@/lib/store/proxy-modes';
import { PROXY_MODES } from '@/lib/wire/proxy-responses';
import type { Level } from '@/server/log';

/** How soon another replica follows a switch. */
const FOLLOW_MS = 3_000;

export interface KeptModes {
  /** Keeps a switch that this process made, so that a restart and the other replicas follow it. */
  readonly keep: (change: Pick<ModeSwitch, 'route' | 'from' | 'to' | 'actor' | 'action'>) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface KeptModesDeps {
  readonly proxy: EnforcingProxy;
  readonly modes: ProxyModes;
  readonly now: () => number;
  readonly log: (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Makes the routes follow the modes that were switched at run time, now and whenever another replica switches
 * one. Only a kept mode that changed is applied: what this process switched to meanwhile is not undone by an older row.
 */
export function followModes({ proxy, modes, now, log }: KeptModesDeps): KeptModes {
  let known: ReadonlyMap<string, KeptSetting> = new Map();
  let isClosed = false;
  const apply = (read: ReadonlyMap<string, KeptSetting>): void => {
    for (const { name, mode, canaryPercent, configuredMode, configuredCanaryPercent } of proxy.routes()) {
      const settled = (kept: KeptSetting | undefined) => ({
        mode: kept?.mode ?? configuredMode,
        canaryPercent: kept?.canaryPercent ?? configuredCanaryPercent,
      });
      const wanted = settled(read.get(name));
      if (isSame(wanted, settled(known.get(name))) || isSame(wanted, { mode, canaryPercent }) || !isMode(wanted.mode)) continue;
      proxy.setMode(name, wanted.mode, wanted.canaryPercent);
    }
    known = read;
  };
  let isTroubled = false;
  const follow = async (): Promise<void> => {
    try {
      apply(await modes.read());
      isTroubled = false;
    } catch (cause) {
      if (!isTroubled) log('warn', 'the modes of proxy routes could not be read; they stay as they are', { cause });
      isTroubled = true;
    }
  };
  let reading = follow();
  const timer = setInterval(() => {
    if (!isClosed) reading = reading.then(follow);
  }, FOLLOW_MS);
  timer.unref();
  return {
    keep: async (change) => {
      const route = proxy.routes().find(({ name }) => name === change.route);
      const configured = route === undefined ? null : { mode: route.configuredMode, canaryPercent: route.configuredCanaryPercent };
      await modes.keep({ ...change, isConfigured: configured !== null && isSame(change.to, configured), atMs: now() });
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await reading;
    },
  };
}

const isSame = (one: KeptSetting, other: KeptSetting): boolean => one.mode === other.mode && one.canaryPercent === other.canaryPercent;
const isMode = (text: string): text is RouteMode => PROXY_MODES.some((mode) => mode === text);
