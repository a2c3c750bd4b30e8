import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { forTests } from '../../build/compile-validators.ts';

/** `npm run crash`: the program is killed at random moments, many times. */
export default defineConfig({
  plugins: [forTests],
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/crash/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/set-up.ts'],
    testTimeout: 600_000,
  },
});
