import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { compiledValidators } from './build/compile-validators.ts';
import { tagsOf } from './test/support/tools.ts';

const sourceOf = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url));

/** `--mode long`: many rounds of what is tried at random, and the tests that need npm's registry. */
export default defineConfig(({ mode }) => ({
  plugins: [compiledValidators],
  // What a config file imports, from the sources instead of what was built of them.
  resolve: {
    alias: {
      'patchgate/config': sourceOf('settings/define-config.ts'),
      'patchgate/testing': sourceOf('testing/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/set-up.ts'],
    exclude: [...(mode === 'long' ? [] : ['test/plugins/**']), ...configDefaults.exclude],
    env: { ROUNDS: mode },
    tags: [
      {
        name: 'slow',
        description: 'Tries thousands of values, waits, or starts processes. Not in `npm run test:unit`.',
      },
      ...tagsOf('curl', 'python', 'chromium', 'postgres', 'pgbouncer', 'nginx'),
      ...(mode === 'long' ? tagsOf('git', 'pre-commit') : []),
    ],
    // What hangs ends; a machine that has much else to do is no failure.
    testTimeout: mode === 'long' ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // On two cores: the third goes on while others wait for processes.
    maxWorkers: 3,
    // Those that run at the same time wait, most of the time.
    maxConcurrency: 20,
    // No file changes what others import: to load all anew for each takes a third of the time.
    isolate: false,
  },
}));
