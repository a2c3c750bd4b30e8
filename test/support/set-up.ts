/** Runs for each test file, also where modules are shared among them. */
import { afterAll } from 'vitest';
import { removeFolders } from './temporary-folder.ts';

afterAll(removeFolders);
