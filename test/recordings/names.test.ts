import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkRecordingName, placesIn } from '../../src/recordings/files.ts';
import { locationOf } from '../../src/recordings/names.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATHS = [
  ...['/', '', '*', '//', '/a', '/a/', '/a//b', '/A', '/a/B/c', '/%41', '/%2F%2f', '/.', '/..', '/../..'],
  ...['/.hidden', '/a.', '/con', '/CON', '/con.txt', '/console', '/aux/NUL/com1/lpt9.x', '/patch.json'],
  ...['/a/patch.json', '/PATCH.json', '/~', '/~~', '/~/x', '/+', '/~+', '/a~+/b', '/~hash/x'],
  ...['/a b:c*d?e"f<g>h|i\\j', '/ü/€/\ud800/\u0000', `/${'x'.repeat(240)}`, `/${'X'.repeat(100)}/b`],
  '/api/v2/accounts/current/projects/42',
];

describe('the file of a method and path', () => {
  it('reads as the path if that is safe, and has its hash if it is too long', () => {
    const path = '/api/v2/accounts/current/projects/42';
    expect(locationOf('PATCH', path)).toBe('api/v2/accounts/current/projects/42/PATCH.json');
    const long = [`/${'x'.repeat(241)}`, `/${'long/'.repeat(200)}`, `/${'long/'.repeat(200)}x`];
    const hashed = long.map((one) => locationOf('PATCH', one));
    for (const one of hashed) expect(one).toMatch(/^~hash\/[0-9a-f]{64}\/PATCH\.json$/);
    expect(new Set(hashed).size).toBe(3);
  });

  it('leads back to them, and nothing else in the folder does', () => {
    const root = temporaryFolder();
    const methods = ['PATCH', 'M-SEARCH', 'patch', 'CON', 'a.b!'];
    const all = PATHS.flatMap((path) => methods.map((method) => ({ method, path })));
    const others = [
      'PATCH.json',
      'a/PATCH.txt',
      'a/.PATCH.json.tmp',
      'A/GET.json',
      'a/notes.json',
      'a b/GET.json',
    ];
    for (const name of [...all.map(({ method, path }) => locationOf(method, path)), ...others]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), '');
    }
    const found = Array.from(placesIn(root));
    const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
    expect(sorted(found)).toEqual(sorted(all));
  });

  it('is of one path alone, and has a name on every file system', () => {
    const files = new Set<string>();
    const folders = new Set<string>();
    for (const location of PATHS.flatMap((path) =>
      ['PATCH', 'patch'].map((method) => locationOf(method, path)),
    )) {
      const folded = location.toLowerCase();
      expect(files).not.toContain(folded);
      files.add(folded);
      folded.split('/').forEach((_, i, parts) => void (i > 0 && folders.add(parts.slice(0, i).join('/'))));
      for (const part of location.split('/')) {
        expect(part).toMatch(/^[a-zA-Z0-9_.%~+-]{1,255}$/);
        expect(part).not.toMatch(/^\.|\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
      }
    }
    for (const folder of folders) expect(files).not.toContain(folder);
  });
});

it.each(['default', 'Checkout tests', 'a.b', 'ü'])('a recording may be called %j', (name) => {
  expect(() => checkRecordingName(name)).not.toThrow();
});

it.each(['', '.', '..', 'a/b', 'a\\b', '.hidden', 'a.', 'a ', 'nul', 'a:b', 'a\u0000', 'x'.repeat(101)])(
  'a recording may not be called %j',
  (name) => {
    expect(() => checkRecordingName(name)).toThrow(expect.objectContaining({ code: 'bad-usage' }));
  },
);
