import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { forTests } from './build/compile-validators.ts';
import { tagsOf } from './test/support/tools.ts';

const sourceOf = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url));

export default defineConfig({
  plugins: [forTests],
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
    // Each has a command of its own, and takes its time: npm run crash, npm run fleet, npm run plugins.
    exclude: ['test/crash/**', 'test/fleet/**', 'test/plugins/**', ...configDefaults.exclude],
    tags: [
      {
        name: 'slow',
        description: 'Tries thousands of values, waits, or starts processes. Not in `npm run test:unit`.',
      },
      ...tagsOf('curl', 'python', 'chromium', 'postgres', 'pgbouncer', 'nginx'),
    ],
    // What hangs ends; a machine that has much else to do is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // Those that run at the same time wait, most of the time.
    maxConcurrency: 20,
    // No file changes what others import: to load all anew for each takes a third of the time.
    isolate: false,
  },
});
