import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realPlace } from '../../../../src/commands/check/report/real-place.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('leads through links, as far as there is something', () => {
  const folder = realPlace(temporaryFolder());
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b/file'), '');
  symlinkSync('b', join(folder, 'a'));
  expect(realPlace(join(folder, 'a/file'))).toBe(join(folder, 'b/file'));
  expect(realPlace(join(folder, 'a/new/file'))).toBe(join(folder, 'b/new/file'));
  expect(realPlace('/')).toBe('/');
});
