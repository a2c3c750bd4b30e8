import { describe, expect, it } from 'vitest';
import { checkOverrides } from '../../../src/settings/extras/check-overrides.ts';
import { laterRefusal } from '../../support/errors.ts';

const rules = { 'schema.unknown-field': 'off' };
const source = { where: 'the config', folder: '/repo' };

const refused = (given: unknown): Promise<string> =>
  laterRefusal('bad-config', checkOverrides(given, source));

describe('overrides', () => {
  it('are none where nothing is said', async () => {
    expect(await checkOverrides(undefined, source)).toEqual([]);
  });

  it('take a glob, or a list of globs', async () => {
    const [file, path] = await checkOverrides(
      [
        { files: 'legacy/**', rules },
        { paths: ['**/drafts/**'], rules },
      ],
      source,
    );
    expect(file?.paths).toBeUndefined();
    expect(['/repo/legacy/a.json', '/repo/a.json'].map((name) => file?.ofFile?.(name))).toEqual([
      true,
      false,
    ]);
    expect(path?.ofFile).toBeUndefined();
    expect(path?.paths?.globs).toEqual(['**/drafts/**']);
    const fits = path?.paths?.compile('/**/drafts/**');
    expect(['/accounts/1/drafts/2', '/accounts/1/projects/2'].map((name) => fits?.(name))).toEqual([
      true,
      false,
    ]);
    expect(path?.rules).toEqual(rules);
  });

  it.each([
    [{}, 'overrides in the config must be a list'],
    [[null], 'overrides[0] in the config must be an object'],
    [[{ rules }], 'overrides[0] in the config says nothing of the place (say where with files or paths;'],
    [
      [
        { files: 'a', rules },
        { path: 'a', rules },
      ],
      'overrides[1].path in the config is not known (did you mean "paths"?)',
    ],
    [
      [{ files: 'a', rules, zzz: 1 }],
      'overrides[0].zzz in the config is not known (it has: files, paths, rules)',
    ],
    [
      [{ files: [], rules }],
      'overrides[0].files in the config: [] is not taken (it takes a glob or a list of globs: ["legacy/**"])',
    ],
    [[{ files: ['a', 5], rules }], 'overrides[0].files in the config: ["a",5] is not taken'],
    [[{ paths: ' ', rules }], 'overrides[0].paths in the config: " " is not taken'],
    [[{ paths: '!**/drafts/**', rules }], 'overrides[0].paths in the config: "!**/drafts/**" is not taken'],
    [
      [{ paths: ['**', '/accounts/+(1*)'], rules }],
      '["**","/accounts/+(1*)"] is not taken (it takes a glob or a list of globs, of *, **, ?, [0-9] and {1,2}: ',
    ],
    [[{ paths: '/accounts/(1*)+', rules }], 'overrides[0].paths in the config: "/accounts/(1*)+" is not'],
    [[{ files: 'a'.repeat(70_000), rules }], 'overrides[0].files in the config: "aaa'],
    [[{ paths: '**' }], 'overrides[0].rules in the config names no rule'],
    [[{ paths: '**', rules: {} }], 'overrides[0].rules in the config names no rule'],
    [[{ paths: '**', rules: [] }], 'overrides[0].rules in the config must be an object of rule names'],
    [
      [{ paths: '**', rules: { 'schema.type': 'warning' } }],
      'overrides[0].rules["schema.type"] in the config: "warning" is not taken (a severity is one of: error, warn, off',
    ],
  ])('are refused with their place: %j', async (given, message) => {
    expect(await refused(given)).toContain(message);
  });

  it('have a line where they stand in JSON', async () => {
    const text = '{\n  "overrides": [\n    { "file": "a", "rules": {} }\n  ]\n}';
    const given = (JSON.parse(text) as { overrides: unknown }).overrides;
    await expect(checkOverrides(given, { ...source, where: 'c.json', text })).rejects.toThrow(
      'overrides[0].file in c.json:3:7 is not known',
    );
  });
});
