import { existsSync, readFileSync } from 'node:fs';
import { must, step } from './step.mjs';

/** Installs the packages of the lockfile unless they are all there. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  // An environment that says "production" must not leave the build tools out.
  await step('installing packages (npm ci)', () =>
    must('npm', ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'], { quiet: true }),
  );
}

/** Compares the lockfile with the one that npm keeps of what it installed, and that with the folders: an interrupted npm leaves the list ahead of them. */
function isInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  const wanted = readPackages('package-lock.json');
  if (installed === null || wanted === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') || entry.optional === true || entry.devOptional === true) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity && existsSync(path);
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    // Missing or cut short: npm did not finish an installation here.
    return null;
  }
}
