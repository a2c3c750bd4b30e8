import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Takes minutes: npm run crash.
    exclude: ['test/crash/**', ...configDefaults.exclude],
    testTimeout: 20_000,
    maxWorkers: 2,
    // No file changes what others import: to load all anew for each takes a third of the time.
    isolate: false,
  },
});
