import { defineConfig } from 'vitest/config';

const alias = { '@': new URL('.', import.meta.url).pathname };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: { name: 'unit', include: ['lib/**/*.test.ts', 'components/**/*.test.ts', 'tests/unit/**/*.test.ts'], environment: 'node' },
      },
      {
        resolve: { alias },
        test: { name: 'sdk', include: ['packages/**/*.test.ts', 'demo/**/*.test.ts'], environment: 'node' },
      },
    ],
  },
});
