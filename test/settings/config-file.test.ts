import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigFile, pathFrom, readConfigFile, shortPath } from '../../src/settings/config-file.ts';
import { laterRefusal, refusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the config file', () => {
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
    expect(found('a')).toBe('patchgate.config.json');
    expect(findConfigFile(undefined, '/')).toBeUndefined();
  });

  it('is one alone in its folder', () => {
    const root = tree('a/patchgate.config.js', 'a/patchgate.config.json');
    expect(refusal('bad-config', () => findConfigFile(undefined, join(root, 'a', 'b')))).toBe(
      'there are two config files: ../patchgate.config.js, ../patchgate.config.json (keep the right one, or name it with --config)',
    );
    const named = join(root, 'a', 'patchgate.config.json');
    expect(findConfigFile(named, join(root, 'a'))).toBe(named);
  });
});

function read(name: string, content: string | Buffer) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), content);
  return readConfigFile(join(folder, name), folder);
}

const refused = (name: string, content: string | Buffer) => laterRefusal('bad-config', read(name, content));

describe('a config file in JSON', () => {
  it('is read behind a byte order mark', async () => {
    expect((await read('c.json', '\uFEFF{"port": 1}')).values).toEqual({ port: 1 });
    expect(await refused('c.json', '\uFEFF{"port": }')).toMatch(/^c\.json:1:10: /);
  });

  it.each([
    [
      '',
      'c.json:1:1: the document ends where a value should be (correct the JSON, which has no comments; a patchgate.config.mjs may have some)',
    ],
    [
      '{\n  "port": 1,\n}',
      'c.json:3:1: expected a member name in double quotes, found "}" (correct the JSON, which has no comments; a patchgate.config.mjs may have some)',
    ],
    [
      '{\n  // the port\n  "port": 1\n}',
      'c.json:2:3: expected a member name in double quotes, found "/" (correct the JSON, which has no comments; a patchgate.config.mjs may have some)',
    ],
    [
      '{"port": 1,\n "port": 2}',
      'c.json:2:2: "port" is given a second time (correct the JSON, which has no comments; a patchgate.config.mjs may have some)',
    ],
    ...['[]', 'null'].map((text) => [
      text,
      'the config file c.json holds no object with settings (write export default { recording: "checkout" }; in JSON, { "recording": "checkout" })',
    ]),
  ])('%j is refused at its place', async (text, says) => {
    expect(await refused('c.json', text)).toBe(says);
  });
});

// What Node itself says of one is in e2e/config-file.test.ts: here a file is read by vitest.
describe('a config file that is a program', () => {
  it('is what it exports by default', async () => {
    expect(await read('c.mjs', 'export default { port: await Promise.resolve(1) };')).toMatchObject({
      ...{ values: { port: 1 }, where: 'c.mjs' },
    });
    expect((await read('c.cjs', 'module.exports = { port: 2 };')).values).toEqual({ port: 2 });
  });

  it.each([
    [
      'export default {};\nthrow new Error("no luck\\nat all");',
      'c.mjs:2:7: no luck (a config file is an ES module, patchgate.config.mjs: export default { … })',
    ],
    [
      'throw "no luck";',
      'c.mjs: no luck (a config file is an ES module, patchgate.config.mjs: export default { … })',
    ],
    [
      'export const port = 1;',
      'holds no object with settings (write export default { recording: "checkout" }; in JSON, ',
    ],
    ['export default () => ({});', 'holds no object with settings ('],
  ])('%j is refused', async (text, says) => {
    expect(await refused('c.mjs', text)).toContain(says);
  });
});

it('a path is as one sees it from where the command runs', () => {
  expect(shortPath('/work/shop/a.json', '/work/shop/app')).toBe('../a.json');
  expect(shortPath('/a.json', '/work/app/packages')).toBe('/a.json');
  expect(pathFrom('/work', 'recordings', '/work/app')).toBe('../recordings');
  expect(pathFrom('/work/app', './recordings/', '/work/app')).toBe('./recordings/');
  expect(pathFrom('/work', '/etc/ca.pem', '/work/app')).toBe('/etc/ca.pem');
});
