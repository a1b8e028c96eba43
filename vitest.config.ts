import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const alias = { '@': fileURLToPath(new URL('.', import.meta.url)) };

const project = (name: string, include: string[], timeoutMs: number) => ({
  resolve: { alias },
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // What is waited for comes late on a busy machine; without this a poll is given up after one second.
    expect: { poll: { timeout: 90_000 } },
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['lib/**/*.test.ts', 'components/**/*.test.ts', 'tests/unit/**/*.test.ts'], 180_000),
      project('integration', ['tests/integration/**/*.test.ts'], 240_000),
      project('alerting', ['tests/alerting/**/*.test.ts'], 180_000),
      project('sdk', ['packages/**/*.test.ts', 'demo/**/*.test.ts'], 180_000),
      project('proxy', ['tests/proxy/**/*.test.ts'], 240_000),
      project('e2e', ['tests/e2e/**/*.test.ts'], 360_000),
    ],
  },
});
