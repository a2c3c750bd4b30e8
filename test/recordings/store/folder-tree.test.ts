import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { addName, MOST_NAMES, namesBelow } from '../../../src/recordings/store/folder-tree.ts';
import { locationOf } from '../../../src/recordings/store/location.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function recordingOf(...places: [method: string, path: string][]): string {
  const root = temporaryFolder();
  for (const [method, path] of places) {
    const file = join(root, locationOf(method, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  return root;
}

it('names the methods of a path and the segments that follow it', () => {
  const root = recordingOf(
    ['GET', '/Api/v2/ä b'],
    ['PATCH', '/Api/v2/ä b'],
    ['GET', '/Api/v2/42/x'],
    ['GET', '/other'],
    ['GET', '/'],
  );
  mkdirSync(join(root, '.patchgate'));
  writeFileSync(join(root, 'notes.txt'), '');
  expect(namesBelow(root, '')).toEqual({ methods: new Set(), segments: new Set(['Api', 'other', '']) });
  expect(namesBelow(root, '/')).toEqual({ methods: new Set(['GET']), segments: new Set() });
  expect(namesBelow(root, '/Api/v2')).toEqual({ methods: new Set(), segments: new Set(['ä b', '42']) });
  const { methods } = namesBelow(root, '/Api/v2/ä b');
  expect([...methods].sort()).toEqual(['GET', 'PATCH']);
});

it('names nothing where nothing is', () => {
  const nothing = { methods: new Set(), segments: new Set() };
  const root = recordingOf(['GET', '/a']);
  expect(namesBelow(root, '/b/c')).toEqual(nothing);
  expect(namesBelow(join(root, 'missing'), '')).toEqual(nothing);
  expect(namesBelow(root, `/${'x'.repeat(2000)}`)).toEqual(nothing);
});

it('looks at no more names than it says', () => {
  const root = recordingOf(
    ...Array.from({ length: MOST_NAMES + 10 }, (_, i): [string, string] => ['GET', `/p/${i}`]),
  );
  expect(namesBelow(root, '/p').segments.size).toBe(MOST_NAMES);
});

it('takes in what waits to be written', () => {
  const root = recordingOf(['GET', '/a/b']);
  const names = namesBelow(root, '/a');
  for (const path of ['/a', '/a/c', '/a/d/e', '/ab', '/']) addName(names, '/a', { method: 'PUT', path });
  expect(names).toEqual({ methods: new Set(['PUT']), segments: new Set(['b', 'c', 'd']) });
});
