import { spawn } from 'node:child_process';

/** Lines kept of a quiet command, to be shown when it fails. */
const KEPT_BYTES_MAX = 200_000;

/**
 * Runs one step with a progress line and its duration. `work` returns a promise; what it rejects with is passed on.
 */
export async function step(name, work) {
  const since = performance.now();
  process.stdout.write(`tidemark ${name} …\n`);
  const result = await work();
  process.stdout.write(`tidemark ${name}: done in ${((performance.now() - since) / 1000).toFixed(1)} s\n`);
  return result;
}

/**
 * Runs a command to its end. `quiet` keeps its output back and shows it only when the command fails. Resolves to the exit
 * code. Ends together with this process.
 */
export function run(command, args, { quiet = false, env = {}, cwd = process.cwd() } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32' && command === 'npm',
    });
    let output = '';
    const keep = (text) => {
      output = (output + text).slice(-KEPT_BYTES_MAX);
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    const pass = (signal) => {
      child.kill(signal);
      child.once('close', () => process.exit(0));
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    const settle = (code, message) => {
      for (const signal of signals) process.off(signal, pass);
      if (quiet && code !== 0) process.stderr.write(`${output}${message}\n`);
      resolve(code);
    };
    child.once('error', (cause) => settle(127, `${command}: ${cause.message}`));
    child.once('close', (code, signal) => settle(code ?? 1, signal === null ? '' : `${command} was ended by ${signal}`));
  });
}

/** Runs a command like `run`, and ends this process when it fails. */
export async function must(command, args, options) {
  const code = await run(command, args, options);
  if (code === 0) return;
  console.error(`tidemark: "${command} ${args.join(' ')}" failed with exit code ${code}; its output is above.`);
  process.exit(1);
}
