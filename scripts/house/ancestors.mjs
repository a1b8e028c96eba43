import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LOOK_MS = 1000;

/**
 * Calls `gone` once when npm, which started this process, no longer lives: killed without a word, it cannot pass a
 * signal on, and a server that nobody holds must not keep the port. Without npm nothing is watched.
 */
export function watchAncestors(gone) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const shell = process.ppid;
  const npm = npmAbove(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && (npm === null || isAlive(npm))) return;
    clearInterval(timer);
    gone();
  }, LOOK_MS);
  timer.unref();
}

/** npm's pid when a shell stands between npm and this process; null when npm is the parent itself. */
function npmAbove(parent) {
  const { name, above } = describe(parent);
  return /(^|\/)-?(sh|bash|dash|zsh|ash|busybox)$/.test(name) ? above : null;
}

function describe(pid) {
  try {
    if (existsSync('/proc/self/stat')) {
      const [, name = '', above = ''] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return { name, above: Number(above) };
    }
    const [above = '', name = ''] = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return { name, above: Number(above) };
  } catch {
    // Nothing tells: the parent alone is watched.
    return { name: '', above: 0 };
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause.code === 'EPERM';
  }
}
