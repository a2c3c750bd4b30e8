import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { forTests } from '../../build/compile-validators.ts';
import { tagsOf } from '../support/tools.ts';

/** `npm run plugins`: what other tools install from this repository, installed by them. Needs git, pre-commit, npm's registry. */
export default defineConfig({
  plugins: [forTests],
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/plugins/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    tags: tagsOf('git', 'pre-commit', 'python'),
    setupFiles: ['test/support/set-up.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
