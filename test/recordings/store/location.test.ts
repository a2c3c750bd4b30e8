import { describe, expect, it } from 'vitest';
import { checkRecordingName, locationOf, placeOf } from '../../../src/recordings/store/location.ts';

const PATHS = [
  '/',
  '',
  '*',
  '//',
  '/a',
  '/a/',
  '/a//b',
  '/A',
  '/a/B/c',
  '/%41',
  '/%2F%2f',
  '/.',
  '/..',
  '/../..',
  '/.hidden',
  '/a.',
  '/con',
  '/CON',
  '/con.txt',
  '/console',
  '/aux/NUL/com1/lpt9.x',
  '/patch.json',
  '/a/patch.json',
  '/PATCH.json',
  '/~',
  '/~~',
  '/~/x',
  '/+',
  '/~+',
  '/a~+/b',
  '/~hash/x',
  '/a b:c*d?e"f<g>h|i\\j',
  '/ü/€/\ud800/\u0000',
  `/${'x'.repeat(40)}`,
  `/${'x'.repeat(41)}`,
  `/${'x'.repeat(40)}/${'x'}`,
  `/${'X'.repeat(100)}/b`,
  `/${'x'.repeat(39)}../b`,
  `/${'x'.repeat(40)}..`,
  `/${'x'.repeat(40)}con`,
  '/api/v2/accounts/current/projects/42',
];

describe('locationOf', () => {
  it('is the path as it reads where that is safe', () => {
    expect(locationOf('PATCH', '/api/v2/accounts/current/projects/42')).toBe(
      'api/v2/accounts/current/projects/42/PATCH.json',
    );
  });

  it.each(PATHS)('leads back to its path: %j', (path) => {
    for (const method of ['PATCH', 'M-SEARCH', 'patch', 'CON', 'a.b!']) {
      expect(placeOf(locationOf(method, path))).toEqual({ method, path });
    }
  });

  it('never gives two paths one file, letter case aside, nor a file the name of a folder', () => {
    const files = new Set<string>();
    const folders = new Set<string>();
    const all = PATHS.flatMap((path) => ['PATCH', 'patch', 'GET'].map((method) => locationOf(method, path)));
    for (const location of all) {
      const folded = location.toLowerCase();
      expect(files).not.toContain(folded);
      files.add(folded);
      const parts = folded.split('/');
      for (let i = 1; i < parts.length; i++) folders.add(parts.slice(0, i).join('/'));
    }
    for (const folder of folders) expect(files).not.toContain(folder);
  });

  it.each(PATHS)('uses only names that every file system takes: %j', (path) => {
    for (const part of locationOf('PATCH', path).split('/')) {
      expect(part).toMatch(/^[a-zA-Z0-9_.%~+-]{1,255}$/);
      expect(part).not.toMatch(/^\.|\.$/);
      expect(part).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
    }
  });

  it('keeps a path that is too long under its hash', () => {
    const long = `/${'long/'.repeat(200)}`;
    expect(locationOf('PATCH', long)).toMatch(/^~hash\/[0-9a-f]{64}\/PATCH\.json$/);
    expect(locationOf('PATCH', long)).not.toBe(locationOf('PATCH', `${long}x`));
    expect(placeOf(locationOf('PATCH', long))).toBe('hashed');
  });
});

describe('placeOf', () => {
  it.each([
    'PATCH.json',
    'a/PATCH.txt',
    'a/.PATCH.json.12-1.tmp',
    'A/PATCH.json',
    'a/notes.json',
    'a b/GET.json',
  ])('knows nothing of %s', (location) => {
    expect(placeOf(location)).toBeUndefined();
  });
});

describe('checkRecordingName', () => {
  it.each(['default', 'Checkout tests', 'a.b', 'ü'])('takes %j', (name) => {
    expect(() => checkRecordingName(name)).not.toThrow();
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', '.hidden', 'a.', 'a ', 'nul', 'a:b', 'a\u0000', 'x'.repeat(101)])(
    'refuses %j',
    (name) => {
      expect(() => checkRecordingName(name)).toThrow(expect.objectContaining({ code: 'bad-usage' }));
    },
  );
});
