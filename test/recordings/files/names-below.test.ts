import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { MOST_NAMES, type NamesBelow, namesBelow } from '../../../src/recordings/files/names-below.ts';
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

function namesIn(root: string, path: string): Promise<NamesBelow> {
  return namesBelow(root, path, []);
}

it('names the methods of a path and the segments that follow it', async () => {
  const root = recordingOf(
    ['GET', '/Api/v2/ä b'],
    ['PATCH', '/Api/v2/ä b'],
    ['GET', '/Api/v2/42/x'],
    ['GET', '/other'],
    ['GET', '/'],
  );
  mkdirSync(join(root, '.patchgate'));
  writeFileSync(join(root, 'notes.txt'), '');
  expect(await namesIn(root, '')).toEqual({ methods: new Set(), segments: new Set(['Api', 'other', '']) });
  expect(await namesIn(root, '/')).toEqual({ methods: new Set(['GET']), segments: new Set() });
  expect(await namesIn(root, '/Api/v2')).toEqual({ methods: new Set(), segments: new Set(['ä b', '42']) });
  const { methods } = await namesIn(root, '/Api/v2/ä b');
  expect([...methods].sort()).toEqual(['GET', 'PATCH']);
});

it('names nothing where nothing is', async () => {
  const nothing = { methods: new Set(), segments: new Set() };
  const root = recordingOf(['GET', '/a']);
  expect(await namesIn(root, '/b/c')).toEqual(nothing);
  expect(await namesIn(join(root, 'missing'), '')).toEqual(nothing);
  expect(await namesIn(root, `/${'x'.repeat(2000)}`)).toEqual(nothing);
});

it('looks at no more names than it says', async () => {
  const root = recordingOf(
    ...Array.from({ length: MOST_NAMES + 10 }, (_, i): [string, string] => ['GET', `/p/${i}`]),
  );
  expect((await namesIn(root, '/p')).segments.size).toBe(MOST_NAMES);
});

it('takes in what waits to be written', async () => {
  const root = recordingOf(['GET', '/a/b']);
  const waiting = ['/a', '/a/c', '/a/d/e', '/ab', '/'].map((path) => ({ place: { method: 'PUT', path } }));
  const names = await namesBelow(root, '/a', waiting);
  expect(names).toEqual({ methods: new Set(['PUT']), segments: new Set(['b', 'c', 'd']) });
});
