import { Worker } from 'node:worker_threads';

/** Starts a module of this folder in a thread of its own: bundled beside us, or as source through tsx. */
export function startWorker(name: 'auditor-worker', workerData: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url);
  if (!isSource) return new Worker(url, { workerData });
  // tsx given as an argument serves the main thread only; a thread has to register it for itself.
  const script = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(script, { eval: true, workerData });
}
