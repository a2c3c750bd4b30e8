import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findConfigFile } from '../../src/config/find-config-file.ts';
import { refusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Folders a/b/c, with config files at the paths that are given. */
function tree(...files: string[]) {
  const root = temporaryFolder();
  mkdirSync(join(root, 'a', 'b', 'c'), { recursive: true });
  for (const file of files) writeFileSync(join(root, file), '{}');
  return root;
}

it('is that of the nearest folder', () => {
  const root = tree('patchgate.config.json', 'a/b/patchgate.config.mjs');
  const found = (cwd: string) => findConfigFile(undefined, join(root, cwd))?.slice(root.length + 1);
  expect(found('a/b/c')).toBe('a/b/patchgate.config.mjs');
  expect(found('a/b')).toBe('a/b/patchgate.config.mjs');
  expect(found('a')).toBe('patchgate.config.json');
  expect(findConfigFile(undefined, '/')).toBeUndefined();
});

it('is one alone in its folder', () => {
  const root = tree('a/patchgate.config.js', 'a/patchgate.config.json');
  expect(refusal('bad-config', () => findConfigFile(undefined, join(root, 'a', 'b')))).toBe(
    'there are two config files: ../patchgate.config.js and ../patchgate.config.json (keep one of them, or name it with --config)',
  );
  const named = join(root, 'a', 'patchgate.config.json');
  expect(findConfigFile(named, join(root, 'a'))).toBe(named);
});
