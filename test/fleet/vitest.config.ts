import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { forTests } from '../../build/compile-validators.ts';
import { tagsOf } from '../support/tools.ts';

/** `npm run fleet`: several gates on one database, which are killed at random moments, and the database with them. */
export default defineConfig({
  plugins: [forTests],
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/fleet/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    tags: tagsOf('postgres', 'pgbouncer'),
    setupFiles: ['test/support/set-up.ts'],
    testTimeout: 1_200_000,
  },
});
