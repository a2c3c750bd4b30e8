import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import { DEFAULT_CONTRACT, resolveConfig } from '../../src/settings/config.ts';
import { config, type Given, refused, resolve } from '../support/config.ts';
import { laterRefusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('what nobody says', () => {
  it('is the safe default', async () => {
    const { config, origins, file } = await resolve({});
    expect(config).toEqual({
      contract: DEFAULT_CONTRACT,
      recordings: 'recordings',
      recording: 'default',
      durability: 'process',
      redact: [],
      redactPatterns: [],
      matchHeaders: [],
      ignorePointers: [],
      ignoreQuery: [],
      strictSequence: false,
      failUnused: false,
      targetInsecure: false,
      setHeader: [],
      validation: 'enforce',
      approvers: [],
      allowDelete: [],
      protect: [],
      readState: true,
      timeout: 30_000,
      log: 'text',
      port: 4010,
      host: '127.0.0.1',
      fault: [],
      failOn: 'error',
      overrides: [],
      placeOf: expect.any(Function),
      customRules: {},
    });
    expect(file).toBeUndefined();
    expect(origins).toMatchObject({ port: 'default', host: 'default' });
    expect(origins).not.toHaveProperty('target');
  });

  it('is not what an empty variable says, but of a secret', async () => {
    expect((await resolve({ env: { PATCHGATE_HOST: '' } })).config.host).toBe('127.0.0.1');
    expect(await refused({ env: { PATCHGATE_CONTROL_TOKEN: '' } })).toContain(
      'invalid value "" for PATCHGATE_CONTROL_TOKEN',
    );
  });

  it('is a contract that is there', () => {
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
    [{ flags: {}, env: {} }, 3, 'config file'],
    [{ flags: {}, env: {}, file: {} }, 4, 'default'],
    [{ flags: {}, env: {}, file: {}, defaults: {} }, 4010, 'default'],
  ])('goes from flags to defaults: %j', async (given, port, origin) => {
    const { config, origins } = await resolve({ ...all, ...given });
    expect([config.port, origins.port]).toEqual([port, origin]);
  });

  it('is resolved for each setting alone', async () => {
    expect(
      await config({ flags: { host: 'a' }, env: { PATCHGATE_RECORDING: 'b' }, file: { seed: 'c' } }),
    ).toMatchObject({
      host: 'a',
      recording: 'b',
      seed: 'c',
      port: 4010,
    });
  });

  it('is unsaid by an empty variable', async () => {
    expect(
      (await config({ env: { PATCHGATE_PORT: '', PATCHGATE_CONFIG: '' }, file: { port: 3 } })).port,
    ).toBe(3);
  });

  it('is still checked where another one wins', async () => {
    expect(await refused({ flags: { prot: 1 } })).toContain('prot');
    expect(await refused({ ...all, file: { prot: 3 } })).toContain('unknown field "prot"');
  });
});

describe('a config file', () => {
  it.each([
    ['patchgate.config.json', '{"port": 7}'],
    ['patchgate.config.mjs', 'export default { port: 3 + 4 };'],
    ['patchgate.config.js', 'module.exports = { port: 7 };'],
  ])('%s is found where the command runs', async (name, file) => {
    const { config, file: found } = await resolve({ name, file });
    expect(config.port).toBe(7);
    expect(found).toMatchObject({ where: name, file: join(found?.folder ?? '', name) });
  });

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
    expect(await port({ config: join(folder, 'mine.json') })).toBe('2 127.0.0.1 mine.json');
    expect(await port({}, { PATCHGATE_CONFIG: 'theirs.mjs' })).toBe('3 127.0.0.1 theirs.mjs');
    expect(await port({ config: 'mine.json' }, { PATCHGATE_CONFIG: 'theirs.mjs' })).toBe(
      '2 127.0.0.1 mine.json',
    );
  });

  it('that is named must be there, and be one', async () => {
    expect(await refused({ flags: { config: 'none.json' } })).toBe(
      'the config file none.json does not exist (check the path given with --config or PATCHGATE_CONFIG)',
    );
    expect(await refused({ env: { PATCHGATE_CONFIG: 'none.json' } })).toContain('none.json does not exist');
    expect(await laterRefusal('bad-usage', resolve({ flags: { config: ['a.json', 'b.json'] } }))).toBe(
      '--config is given more than once (give it once)',
    );
  });

  it.each([
    ['patchgate.config.json', '[]', 'holds a list, not settings (write { "recording": "checkout" })'],
    ['patchgate.config.json', 'null', 'holds null, not settings'],
    ['patchgate.config.json', '"x"', 'holds "x", not settings'],
    [
      'patchgate.config.mjs',
      'export default 5;',
      'holds 5, not settings (write export default { recording: "checkout" })',
    ],
    // Its members are none of the object's: they would be without effect.
    ['patchgate.config.mjs', 'export default new Map([["port", 1]]);', 'not settings'],
    ['patchgate.config.mjs', 'export default { __proto__: { port: 1 } };', 'not settings'],
  ])('%s that holds %j is refused', async (name, file, message) => {
    const text = await refused({ name, file });
    expect(text).toContain(message);
    expect(text).toContain(name);
  });

  it('that is a program may fail when it is read', async () => {
    const file = 'export default { overrides: [{ get files() { throw new Error("no luck"); } }] };';
    expect(await refused({ file, name: 'patchgate.config.mjs' })).toContain(
      'patchgate.config.mjs: no luck (',
    );
  });

  it('has known keys only', async () => {
    expect(await refused({ file: { recrodings: 'x' } })).toMatch(
      /^unknown field "recrodings" in .*patchgate\.config\.json:1:2 \(did you mean "recordings"\?\)$/,
    );
    expect(await refused({ file: { 'base-path': '/x' } })).toContain('did you mean "basePath"?');
    expect(await refused({ file: { BASE_PATH: '/x' } })).toContain('did you mean "basePath"?');
    expect(await refused({ file: { override: [] } })).toContain('did you mean "overrides"?');
    expect(await refused({ file: { colour: 1 } })).toMatch(/\(known fields: .*contract, .*\)$/);
    expect(await refused({ file: '{"__proto__": {"port": 1}}' })).toContain('unknown field "__proto__"');
    expect((await config({ file: { $schema: 'x' } })).port).toBe(4010);
  });

  it('gives severities by rule', async () => {
    const overrides = [{ rules: { 'schema.unknown-field': 'error', 'schema.observed': 'warn' } }];
    expect((await config({ file: { overrides } })).overrides).toEqual(overrides);
    expect(await refused({ file: { overrides: [{ rules: { 'schema.type': 'fatal' } }] } })).toMatch(
      /^invalid value "fatal" for overrides\[0\]\.rules\["schema\.type"\] in .*json:1:39 \(it takes one of: error, warn, off\)$/,
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
    const { config, file } = await resolveConfig(
      { ...given.flags },
      { state: '.patchgate/state.json' },
      given.env,
      cwd,
    );
    expect(file?.where).toBe('../../patchgate.config.json');
    return config;
  }

  it('in a config file starts from its folder', async () => {
    const paths = {
      ...{
        contract: './contract',
        recordings: 'rec',
        state: 'known.json',
        seed: 'data/seed.json',
        audit: 'audit.jsonl',
      },
      ...{ targetCa: '/etc/ca.pem', tlsCert: 'tls/cert.pem', tlsKey: 'tls/key.pem' },
    };
    expect(await below({ ...paths, recording: 'checkout' })).toMatchObject({
      ...{ contract: '../../contract', recordings: '../../rec', state: '../../known.json' },
      ...{
        audit: '../../audit.jsonl',
        seed: '../../data/seed.json',
        targetCa: '/etc/ca.pem',
      },
      ...{ tlsCert: '../../tls/cert.pem', tlsKey: '../../tls/key.pem', recording: 'checkout' },
    });
    expect((await below({ state: false })).state).toBe('');
    expect((await config({ file: paths })).contract).toBe('./contract');
  });

  it('elsewhere starts from where the command runs', async () => {
    const flags = { recordings: 'rec', contract: 'here' };
    expect(await below({}, { flags, env: { PATCHGATE_SEED: 'seed.json' } })).toMatchObject({
      recordings: 'rec',
      contract: 'here',
      seed: 'seed.json',
    });
  });

  it('that nobody says is beside the config file that was found, not beside one that is named', async () => {
    expect(await below({})).toMatchObject({
      contract: DEFAULT_CONTRACT,
      recordings: '../../recordings',
      state: '../../.patchgate/state.json',
    });
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'ci'));
    writeFileSync(join(folder, 'ci', 'gate.json'), '{"seed": "seed.json"}');
    const named = await resolveConfig({ config: 'ci/gate.json' }, {}, {}, folder);
    expect(named.config).toMatchObject({ recordings: 'recordings', seed: 'ci/seed.json' });
  });
});

describe('a target', () => {
  it('is a URL whose credentials are not shown', async () => {
    const shown = await refused({ file: { target: 'ftp://me:hunter2@staging.example.com' } });
    expect(shown).toBe(
      'invalid value for target in patchgate.config.json:1:11 (it takes an http or https URL, whole: https://staging.example.com/api/v2)',
    );
    expect(await refused({ flags: { target: 'staging' } })).toContain('invalid value "staging" for --target');
  });
});

describe('the environment', () => {
  it.each([
    ['PATCHGATE_PROT', 'PATCHGATE_PORT'],
    ['PATCHGATE_SETHEADER', 'PATCHGATE_SET_HEADER'],
    ['PATCHGATE_VALIDATON', 'PATCHGATE_VALIDATION'],
    ['PATCHGATE_CONFG', 'PATCHGATE_CONFIG'],
    ['PATCHGATE_recording', 'PATCHGATE_RECORDING'],
  ])('with %s is refused: it would be without effect', async (variable, meant) => {
    expect(await refused({ env: { [variable]: 'x' } })).toBe(
      `unknown environment variable ${variable} (did you mean ${meant}?)`,
    );
  });

  it('does not say what only a config file can say', async () => {
    expect(await refused({ env: { PATCHGATE_OVERRIDES: 'x' } })).toBe(
      'there is no environment variable PATCHGATE_OVERRIDES (only a config file has overrides)',
    );
    expect(await refused({ env: { PATCHGATE_CUSTOM_RULES: 'x' } })).toContain('PATCHGATE_CUSTOM_RULES');
  });

  it('turns off what can be turned off with false, as a config file does', async () => {
    const file = { state: 'known.json' };
    expect((await config({ file, env: { PATCHGATE_STATE: 'false' } })).state).toBe('');
    expect((await config({ file: { state: 'false' } })).state).toBe('false');
  });

  it("is otherwise someone else's affair", async () => {
    const env = {
      PATCHGATE_URL: 'x',
      PATCHGATE_IMAGE_TAG: '1',
      PATCHGATE_DIR: '/',
      PATCHGATE_: 'x',
      PATCHGAT_PORT: '1',
      PORT: 'x',
    };
    expect((await config({ env })).port).toBe(4010);
  });
});
