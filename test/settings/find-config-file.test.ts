import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findConfigFile } from '../../src/settings/find-config-file.ts';
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

it('is there where a link leads nowhere, so that somebody hears of it', () => {
  const root = tree('patchgate.config.json');
  const link = join(root, 'a', 'patchgate.config.json');
  symlinkSync('nowhere', link);
  expect(findConfigFile(undefined, join(root, 'a', 'b'))).toBe(link);
});

it.runIf(process.getuid?.() === 0)("is not another user's, where everybody can put files", () => {
  const root = tree('patchgate.config.mjs');
  const file = join(root, 'patchgate.config.mjs');
  const cwd = join(root, 'a');
  chmodSync(root, 0o1777);
  expect(findConfigFile(undefined, cwd)).toBe(file);
  chownSync(file, 65534, 65534);
  expect(refusal('bad-config', () => findConfigFile(undefined, cwd))).toContain(
    "the config file ../patchgate.config.mjs is another user's, in a folder where everybody can put files (",
  );
  expect(findConfigFile('../patchgate.config.mjs', cwd)).toBe(file);
  chmodSync(root, 0o777);
  expect(findConfigFile(undefined, cwd)).toBe(file);
});

it('is a file that has a name', () => {
  expect(refusal('bad-usage', () => findConfigFile('', '/'))).toContain('--config names no file');
});
