import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  readFileIfThere,
  removeTemporaries,
  temporaryOf,
  writeFileAtomically,
} from '../../../src/recordings/store/write-file.ts';
import { laterRefusal, refusal } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each([false, true])(
  'takes the place of what was there, in a folder that is made: sync %s',
  async (sync) => {
    const file = join(temporaryFolder(), 'a', 'b', 'state.json');
    for (const content of ['ü', Buffer.from([0xff, 0])]) {
      await writeFileAtomically(file, content, { sync });
      expect(readFileSync(file)).toEqual(Buffer.from(content as string));
    }
    expect(readdirSync(dirname(file))).toEqual(['state.json']);
  },
);

test('leaves what was there, and nothing else, where it fails', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'state.json', 'obstacle'), { recursive: true });
  const said = await laterRefusal(
    'cannot-write',
    writeFileAtomically(join(folder, 'state.json'), 'x', { sync: false }),
  );
  expect(said).toContain(`cannot write ${join(folder, 'state.json')}: `);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

test('knows again what interrupted writes of a file have left', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'state.json');
  for (const name of [
    temporaryOf(file),
    temporaryOf(`${file}.journal`),
    temporaryOf(join(folder, 'other')),
    file,
  ])
    writeFileSync(name, '');
  removeTemporaries(folder, 'state.json.');
  expect(readdirSync(folder).sort()).toEqual([
    expect.stringMatching(/^\.other\.\d+-\d+\.tmp$/),
    'state.json',
  ]);
});

test('reads a file, where there is one', () => {
  const folder = temporaryFolder();
  expect(readFileIfThere(join(folder, 'x'))).toBeUndefined();
  expect(readFileIfThere(join(folder, 'x', 'y'))).toBeUndefined();
  expect(refusal('cannot-read', () => readFileIfThere(folder, 'do this'))).toMatch(
    /it is no file \(do this\)/,
  );
});
