import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import { DEFAULT_CONTRACT, resolveConfig } from '../../src/settings/config.ts';
import { config, type Given, refused, resolve } from '../support/config.ts';
import { shouting } from '../support/team-rule.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('what nobody says', () => {
  it('is the safe default', async () => {
    const { config, origins, file } = await resolve({});
    expect(config).toMatchObject({
      ...{ contract: DEFAULT_CONTRACT, validation: 'enforce', readState: true, host: '127.0.0.1' },
      ...{ allowDelete: [], approvers: [], overrides: [], customRules: {} },
    });
    expect(config.target).toBeUndefined();
    expect(file).toBeUndefined();
    expect(origins.port).toBe('default');
    expect(origins).not.toHaveProperty('target');
    expect(Object.keys(loadContract(DEFAULT_CONTRACT).entries)).toContain('updateProject');
  });
});

describe('what several say', () => {
  const all: Given = {
    flags: { port: '1' },
    env: { PATCHGATE_PORT: '2' },
    file: { port: 3 },
    defaults: { port: 4 },
  };

  it.each<[Partial<Given>, number, string]>([
    [{}, 1, 'flag'],
    [{ flags: {} }, 2, 'environment'],
    [{ flags: {}, env: { PATCHGATE_PORT: '' } }, 3, 'config file'],
    [{ flags: {}, env: {}, file: {} }, 4, 'default'],
    [{ flags: {}, env: {}, file: {}, defaults: {} }, 4010, 'default'],
  ])('goes from flags to defaults: %j', async (given, port, origin) => {
    const { config, origins } = await resolve({ ...all, ...given });
    expect([config.port, origins.port]).toEqual([port, origin]);
  });

  it('is still checked where another one wins', async () => {
    expect(await refused({ flags: { prot: 1 } })).toContain('prot');
    expect(await refused({ ...all, file: { prot: 3 } })).toContain('unknown field "prot"');
  });
});

describe('a config file', () => {
  it('can be named by a flag, or a variable, and then no other is read', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'patchgate.config.json'), '{"port": 1, "host": "a"}');
    writeFileSync(join(folder, 'mine.json'), '{"port": 2}');
    writeFileSync(join(folder, 'theirs.mjs'), 'export default { port: 3 }');
    const port = async (flags: Record<string, unknown>, env = {}) => {
      const { config, file } = await resolveConfig(flags, {}, env, folder);
      return `${config.port} ${config.host} ${file?.where}`;
    };
    expect(await port({})).toBe('1 a patchgate.config.json');
    expect(await port({ config: 'mine.json' })).toBe('2 127.0.0.1 mine.json');
    expect(await port({}, { PATCHGATE_CONFIG: 'theirs.mjs' })).toBe('3 127.0.0.1 theirs.mjs');
    expect(await port({ config: 'mine.json' }, { PATCHGATE_CONFIG: 'theirs.mjs' })).toContain('mine.json');
  });

  it('that is named must be there', async () => {
    const says = 'does not exist (name one file with --config or PATCHGATE_CONFIG)';
    expect(await refused({ flags: { config: 'none.json' } })).toBe(`the config file none.json ${says}`);
    expect(await refused({ env: { PATCHGATE_CONFIG: 'none.json' } })).toContain(says);
  });

  it('has known keys only', async () => {
    expect(await refused({ file: { recrodings: 'x' } })).toMatch(
      /^unknown field "recrodings" of .*patchgate\.config\.json:1:2 \(did you mean "recordings"\?\)$/,
    );
    expect(await refused({ file: { 'fail-unused': true } })).toContain('did you mean "failUnused"?');
    expect(await refused({ file: { override: [] } })).toContain('did you mean "overrides"?');
    expect(await refused({ file: { colour: 1 } })).toMatch(/\(it has: .*contract, .*\)$/);
    expect(await refused({ file: '{"__proto__": {"port": 1}}' })).toContain('unknown field "__proto__"');
    expect((await config({ file: { $schema: 'x' } })).port).toBe(4010);
  });
});

describe('overrides', () => {
  const rules = { 'schema.unknown-field': 'off' };

  it.each([
    [{}, 'invalid value {} for overrides in FILE (it takes a list: ['],
    [[null], 'invalid value null for overrides[0] in FILE (it takes { '],
    [[{ path: 'a', rules }], 'unknown field "path" of overrides[0] in FILE (did you mean "paths"?)'],
    [
      [{ paths: [], rules }],
      'invalid value [] for overrides[0].paths in FILE (it takes a glob or a list of globs',
    ],
    [[{ paths: '!**/drafts/**', rules }], 'invalid value "!**/drafts/**" for overrides[0].paths in FILE'],
    [[{ paths: '/accounts/(1*)+', rules }], 'invalid value "/accounts/(1*)+" for overrides[0].paths in FILE'],
    [[{ paths: 'a'.repeat(70_000), rules }], 'aaa… for overrides[0].paths in FILE'],
    [[{ paths: '**' }], 'missing field "rules" of overrides[0] in FILE (it takes severities by rule'],
    [
      [{ paths: '**', rules: {} }],
      'invalid value {} for overrides[0].rules in FILE (it takes severities by rule',
    ],
    [
      [{ rules: { 'schema.type': 'warning' } }],
      'invalid value "warning" for overrides[0].rules["schema.type"] in FILE (it takes one of: error, warn, off',
    ],
  ])('are refused with their place: %j', async (overrides, message) => {
    const said = await refused({ file: { overrides } });
    expect(said.replace(/patchgate\.config\.json:1:\d+/, 'FILE')).toContain(message);
  });
});

describe('custom rules', () => {
  const refusedRules = async (customRules: unknown) => {
    const folder = temporaryFolder();
    return resolveConfig({ customRules }, {}, {}, folder).then(
      () => 'taken',
      ({ message, hint }) => `${message} (${hint})`,
    );
  };

  it('have a function, so they cannot stand in JSON', async () => {
    expect(await refused({ file: { customRules: { updateProject: [{ ...shouting() }] } } })).toMatch(
      /^missing field "check" of customRules\.updateProject\[0\] in patchgate\.config\.json:1:\d+ \(it takes a generator/,
    );
  });

  it.each<[string, unknown, string]>([
    ['name', undefined, 'missing field "name" of AT (it takes a name in two parts'],
    ...['shouting', 'team.Shouting', 'team.a.b', '.a', 'team.a--b', 5, 'request.x', 'schema.loud'].map(
      (name): [string, unknown, string] => [
        'name',
        name,
        `invalid value ${JSON.stringify(name)} for AT.name (`,
      ],
    ),
    ['severity', 'fatal', 'invalid value "fatal" for AT.severity (it takes one of: error, warn, off)'],
    ['says', '', 'invalid value "" for AT.says ('],
    ['guards', false, 'invalid value false for AT.guards (it takes true, or is left out)'],
    ['check', 'x', 'invalid value "x" for AT.check (it takes a generator: *check('],
    ['examples', undefined, 'missing field "examples" of AT (it takes { passes: [{ body }], '],
    ['examples', { passes: [{ body: 1 }], fails: [] }, 'invalid value [] for AT.examples.fails ('],
    [
      'examples',
      { passes: [{ body: 1 }], fails: [{ body: 1 }] },
      'missing field "pointers" of AT.examples.fails[0]',
    ],
    ['exmaples', {}, 'unknown field "exmaples" of AT (did you mean "examples"?)'],
  ])('are refused with the place of what is wrong: %s %j', async (member, value, message) => {
    const rule = { ...shouting(), [member]: value };
    expect(await refusedRules({ updateProject: [shouting(), rule] })).toContain(
      message.replace(/AT(\S*)/, 'customRules.updateProject[1]$1 in the settings given'),
    );
  });
});

describe('a path', () => {
  /** A config file above the folder where the command runs. */
  async function below(text: object, given: { flags?: object; env?: Record<string, string> } = {}) {
    const above = temporaryFolder();
    const cwd = join(above, 'packages', 'app');
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(above, 'patchgate.config.json'), JSON.stringify(text));
    const own = { state: '.patchgate/state.json' };
    const { config, file } = await resolveConfig({ ...given.flags }, own, given.env, cwd);
    expect(file?.where).toBe('../../patchgate.config.json');
    return config;
  }

  it('in a config file starts from its folder', async () => {
    const paths = {
      contract: './contract',
      recordings: 'rec',
      seed: 'data/seed.json',
      tlsCert: '/etc/cert.pem',
    };
    expect(await below({ ...paths, state: 'known.json', recording: 'checkout' })).toMatchObject({
      ...{ contract: '../../contract', recordings: '../../rec', state: '../../known.json' },
      ...{ seed: '../../data/seed.json', tlsCert: '/etc/cert.pem', recording: 'checkout' },
    });
    expect((await below({ state: false })).state).toBe('');
    expect((await config({ file: paths })).contract).toBe('./contract');
  });

  it('elsewhere starts from where the command runs', async () => {
    const flags = { recordings: 'rec', contract: 'here' };
    expect(await below({}, { flags, env: { PATCHGATE_SEED: 'seed.json' } })).toMatchObject({
      ...{ recordings: 'rec', contract: 'here', seed: 'seed.json' },
    });
  });

  it('that nobody says is beside the config file that was found, not beside one that is named', async () => {
    expect(await below({})).toMatchObject({
      ...{ contract: DEFAULT_CONTRACT, recordings: '../../recordings', state: '../../.patchgate/state.json' },
    });
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'ci'));
    writeFileSync(join(folder, 'ci', 'gate.json'), '{"seed": "seed.json"}');
    const named = await resolveConfig({ config: 'ci/gate.json' }, {}, {}, folder);
    expect(named.config).toMatchObject({ recordings: 'recordings', seed: 'ci/seed.json' });
  });
});

describe('the environment', () => {
  it.each([
    ['PATCHGATE_PROT', 'PATCHGATE_PORT'],
    ['PATCHGATE_SETHEADER', 'PATCHGATE_SET_HEADER'],
    ['PATCHGATE_CONFG', 'PATCHGATE_CONFIG'],
    ['PATCHGATE_recording', 'PATCHGATE_RECORDING'],
  ])('with %s is refused: it would be without effect', async (variable, meant) => {
    expect(await refused({ env: { [variable]: 'x' } })).toBe(
      `unknown environment variable ${variable} (did you mean ${meant}?)`,
    );
  });

  it('turns off what can be turned off with false, as a config file does', async () => {
    const file = { state: 'known.json' };
    expect((await config({ file, env: { PATCHGATE_STATE: 'false' } })).state).toBe('');
    expect((await config({ file: { state: 'false' } })).state).toBe('false');
  });
});
