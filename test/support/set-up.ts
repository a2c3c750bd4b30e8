/** Runs for each test file, also where modules are shared among them. */
import { afterAll } from 'vitest';
import { removeFolders } from './temporary-folder.ts';

// A test says itself what stands in the environment: on a machine that sets CI it must see the same as on any other.
for (const name of Object.keys(process.env)) {
  if (/^(?:CI|CI_.+|GITHUB_.+|PATCHGATE_.+)$/.test(name)) delete process.env[name];
}

afterAll(removeFolders);
