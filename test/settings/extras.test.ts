import { describe, expect, it } from 'vitest';
import { refused as configRefused } from '../support/config.ts';
import { laterRefusal } from '../support/errors.ts';
import { checkCustomRules, checkOverrides } from '../support/extras.ts';
import { shouting } from '../support/team-rule.ts';

const source = { where: 'the config', folder: '/repo' };

describe('overrides', () => {
  const rules = { 'schema.unknown-field': 'off' };

  const refused = (given: unknown): Promise<string> =>
    laterRefusal('bad-config', checkOverrides(given, source));

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
    [{}, 'invalid value {} for overrides in the config (it takes a list: ['],
    [[null], 'invalid value null for overrides[0] in the config (it takes { '],
    [
      [
        { files: 'a', rules },
        { path: 'a', rules },
      ],
      'unknown field "path" of overrides[1] in the config (did you mean "paths"?)',
    ],
    [
      [{ files: 'a', rules, zzz: 1 }],
      'unknown field "zzz" of overrides[0] in the config (it has: files, paths, rules)',
    ],
    [
      [{ files: [], rules }],
      'invalid value [] for overrides[0].files in the config (it takes a glob or a list of globs: ["legacy/**"])',
    ],
    [[{ files: ['a', 5], rules }], 'invalid value ["a",5] for overrides[0].files in the config'],
    [[{ paths: ' ', rules }], 'invalid value " " for overrides[0].paths in the config'],
    [
      [{ paths: '!**/drafts/**', rules }],
      'invalid value "!**/drafts/**" for overrides[0].paths in the config',
    ],
    [
      [{ paths: ['**', '/accounts/+(1*)'], rules }],
      'invalid value ["**","/accounts/+(1*)"] for overrides[0].paths in the config (it takes a glob or a list of globs, of *, **, ?, [0-9] and {1,2}: ',
    ],
    [
      [{ paths: '/accounts/(1*)+', rules }],
      'invalid value "/accounts/(1*)+" for overrides[0].paths in the config (',
    ],
    [[{ files: 'a'.repeat(70_000), rules }], 'aaa… for overrides[0].files in the config'],
    [[{ paths: '**' }], 'missing field "rules" of overrides[0] in the config (it takes an object of'],
    [
      [{ paths: '**', rules: {} }],
      'invalid value {} for overrides[0].rules in the config (it takes an object',
    ],
    [
      [{ paths: '**', rules: [] }],
      'invalid value [] for overrides[0].rules in the config (it takes an object of rule names',
    ],
    [
      [{ paths: '**', rules: { 'schema.type': 'warning' } }],
      'invalid value "warning" for overrides[0].rules["schema.type"] in the config (it takes one of: error, warn, off',
    ],
  ])('are refused with their place: %j', async (given, message) => {
    expect(await refused(given)).toContain(message);
  });

  it('have a line where they stand in JSON', async () => {
    const text = '{\n  "overrides": [\n    { "file": "a", "rules": {} }\n  ]\n}';
    const given = (JSON.parse(text) as { overrides: unknown }).overrides;
    await expect(checkOverrides(given, { ...source, where: 'c.json', text })).rejects.toThrow(
      'unknown field "file" of overrides[0] in c.json:3:7',
    );
  });
});

describe('custom rules', () => {
  const refused = (given: unknown) => laterRefusal('bad-config', checkCustomRules(given, source));

  it('are none where nothing is said, and taken as they are', async () => {
    expect(await checkCustomRules(undefined, source)).toEqual({});
    const rules = {
      updateProject: [shouting(), shouting({ name: 'a1-b.c-2', guards: true })],
      updateDraft: [],
    };
    expect(await checkCustomRules(rules, source)).toEqual(rules);
  });

  it('may be objects of a class', async () => {
    class Loud {
      name = 'team.loud';
      severity = 'warn';
      basis = 'inferred';
      says = 'x';
      source = 'x';
      examples = shouting().examples;
      check() {
        return [];
      }
    }
    expect(await checkCustomRules({ updateProject: [new Loud()] }, source)).toHaveProperty('updateProject');
  });

  it('cannot stand in JSON, and need a list for each operation', async () => {
    expect(await configRefused({ file: { customRules: {} } })).toBe(
      'customRules in patchgate.config.json:1:16 cannot stand in JSON (a rule has a function: customRules stand in a patchgate.config.mjs)',
    );
    expect(await refused([shouting()])).toContain(
      'for customRules in the config (it takes an object of operations and rules: ',
    );
    expect(await refused({ updateProject: shouting() })).toContain(
      'for customRules.updateProject in the config (it takes a list of rules: ',
    );
    expect(await refused({ updateProject: [() => []] })).toContain(
      'invalid value a function for customRules.updateProject[0] in the config (it takes an object',
    );
  });

  it.each<[string, unknown, string]>([
    ['name', undefined, 'missing field "name" of AT (it takes a name in two parts'],
    ...[
      'shouting',
      'team.Shouting',
      'team.a.b',
      'team/loud',
      '.a',
      'a.',
      'team.a--b',
      'team.-a',
      5,
      'request.x',
      'schema.loud',
    ].map((name): [string, unknown, string] => [
      'name',
      name,
      `invalid value ${JSON.stringify(name)} for AT.name (`,
    ]),
    ['severity', 'fatal', 'invalid value "fatal" for AT.severity (it takes one of: error, warn, off)'],
    [
      'basis',
      'guessed',
      'invalid value "guessed" for AT.basis (it takes one of: stated, inferred, observed, protocol)',
    ],
    ['says', '', 'invalid value "" for AT.says ('],
    ['source', undefined, 'missing field "source" of AT (it takes'],
    ['guards', false, 'invalid value false for AT.guards (it takes true, or is left out)'],
    ['readsEffects', 'yes', 'invalid value "yes" for AT.readsEffects ('],
    ['check', 'x', 'invalid value "x" for AT.check (it takes a generator: *check('],
    [
      'examples',
      undefined,
      'missing field "examples" of AT (it takes { passes: [{ body }], fails: [{ body, pointers }] }',
    ],
    ['exmaples', {}, 'unknown field "exmaples" of AT (did you mean "examples"?)'],
  ])('are refused with the place of what is wrong: %s %j', async (member, value, message) => {
    const rule = { ...shouting(), [member]: value };
    expect(await refused({ updateProject: [shouting(), rule] })).toContain(
      message.replace(/AT(\S*)/, 'customRules.updateProject[1]$1 in the config'),
    );
  });

  const PASSES = [{ body: {} }];
  const FAILS = [{ body: {}, pointers: ['/x'] }];
  it.each([
    [{ fails: FAILS }, 'missing field "passes" of AT (it takes a list of at least one example)'],
    [{ passes: PASSES, fails: [] }, 'invalid value [] for AT.fails'],
    [{ passes: [{}], fails: FAILS }, 'missing field "body" of AT.passes[0]'],
    [
      { passes: [{ body: { a: undefined } }], fails: FAILS },
      'invalid value undefined for AT.passes[0].body.a (',
    ],
    [{ passes: [{ body: [Number.NaN] }], fails: FAILS }, 'invalid value NaN for AT.passes[0].body[0] ('],
    [{ passes: [{ body: 1, pointers: [] }], fails: FAILS }, 'unknown field "pointers" of AT.passes[0]'],
    [{ passes: PASSES, fails: [{ body: {} }] }, 'missing field "pointers" of AT.fails[0]'],
    [
      { passes: PASSES, fails: [...FAILS, { body: {}, pointers: [] }] },
      'invalid value [] for AT.fails[1].pointers',
    ],
    [
      { passes: PASSES, fails: [{ body: {}, pointers: ['x'] }] },
      'invalid value "x" for AT.fails[0].pointers[0] (',
    ],
    [
      { passes: PASSES, fails: [{ body: {}, pointers: ['/x'], known: [] }] },
      'invalid value [] for AT.fails[0].known',
    ],
  ])('are refused with the place in their examples: %j', async (examples, message) => {
    expect(await refused({ updateProject: [{ ...shouting(), examples }] })).toContain(
      message.replace(/AT(\S*)/, 'customRules.updateProject[0].examples$1 in the config'),
    );
  });
});
