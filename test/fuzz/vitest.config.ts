import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { forTests } from '../../build/compile-validators.ts';

/** `npm run fuzz`: the generated requests alone, and many of them. */
export default defineConfig({
  plugins: [forTests],
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/fuzz/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/set-up.ts'],
    env: { FUZZ: 'long' },
    testTimeout: 1_800_000,
    maxWorkers: 2,
  },
});
