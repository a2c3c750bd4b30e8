import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { shippedValidatorsForVite } from '../../.esbuild/shipped-validators.mjs';

/** `npm run fuzz`: the generated requests alone, and many of them. */
export default defineConfig({
  plugins: [shippedValidatorsForVite],
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/fuzz/**/*.test.ts'],
    setupFiles: ['test/support/set-up.ts'],
    env: { FUZZ: 'long' },
    testTimeout: 1_800_000,
    maxWorkers: 2,
  },
});
