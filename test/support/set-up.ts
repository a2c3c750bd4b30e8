/** Runs for each test file, also where modules are shared among them. */
import { afterAll } from 'vitest';
import { removeFolders } from './temporary-folder.ts';

// What a test's outcome could hang on, it sets itself: on a machine of CI it must see the same as on any other.
const SETTINGS = /^(?:CI|CI_.+|GITHUB_.+|PATCHGATE_.+|FORCE_COLOR|NO_COLOR)$/;
for (const name of Object.keys(process.env)) {
  if (SETTINGS.test(name)) delete process.env[name];
}

afterAll(removeFolders);
