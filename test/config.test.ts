import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONTRACT, resolveConfig } from '../src/config.ts';
import { loadContract } from '../src/contract/load-contract.ts';
import { SETTINGS, type SettingName, variableOf } from '../src/settings.ts';
import { laterRefusal } from './support/errors.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

interface Given {
  flags?: Record<string, unknown>;
  defaults?: Partial<Record<SettingName, unknown>>;
  env?: Record<string, string>;
  /** Content of a config file, and its name: patchgate.config.json where left out. */
  file?: unknown;
  name?: string;
}

function resolve({ flags = {}, defaults = {}, env = {}, file, name = 'patchgate.config.json' }: Given) {
  const folder = temporaryFolder();
  if (file !== undefined)
    writeFileSync(join(folder, name), typeof file === 'string' ? file : JSON.stringify(file));
  return resolveConfig(flags, defaults, env, folder);
}

const config = async (given: Given) => (await resolve(given)).config;
const refused = (given: Given) => laterRefusal('bad-config', resolve(given));

describe('what nobody says', () => {
  it('is the safe default', async () => {
    const { config, origins, file } = await resolve({});
    expect(config).toEqual({
      contract: DEFAULT_CONTRACT,
      recordings: 'recordings',
      recording: 'default',
      recordInCi: false,
      onMiss: 'refuse',
      validation: 'enforce',
      unlisted: 'pass',
      bodyLimit: 5 * 1024 * 1024,
      timeout: 30_000,
      log: 'text',
      port: 4010,
      host: '127.0.0.1',
      latency: 0,
      failOn: 'error',
      rules: {},
    });
    expect(file).toBeUndefined();
    expect(origins).toMatchObject({ port: 'default', host: 'default' });
    expect(origins).not.toHaveProperty('target');
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

  it('is settled for each setting alone', async () => {
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
    expect(await refused({ ...all, file: { prot: 3 } })).toContain('unknown key "prot"');
  });
});

describe('each setting', () => {
  const RIGHT: Record<SettingName, [given: string | boolean, taken: unknown][]> = {
    contract: [['./my-contract', './my-contract']],
    recordings: [['r', 'r']],
    recording: [['checkout', 'checkout']],
    record: [
      ['all', 'all'],
      ['new_episodes', 'new_episodes'],
      ['once', 'once'],
      ['none', 'none'],
    ],
    recordInCi: [
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ],
    onMiss: [
      ['refuse', 'refuse'],
      ['forward', 'forward'],
      ['record', 'record'],
    ],
    target: [['https://staging.example.com/api/v2', 'https://staging.example.com/api/v2']],
    validation: [
      ['enforce', 'enforce'],
      ['warn', 'warn'],
      ['off', 'off'],
    ],
    guard: [
      ['on', 'on'],
      ['off', 'off'],
    ],
    unlisted: [
      ['pass', 'pass'],
      ['block', 'block'],
    ],
    basePath: [
      ['/api/v2', '/api/v2'],
      ['/', '/'],
      ['/api/v2/', '/api/v2/'],
    ],
    bodyLimit: [
      ['0', 0],
      ['65536', 65_536],
      ['65536b', 65_536],
      ['512KiB', 524_288],
      ['5 MiB', 5_242_880],
      ['1.5kb', 1500],
      ['2MB', 2_000_000],
      ['256mib', 268_435_456],
    ],
    timeout: [
      ['500', 500],
      ['500ms', 500],
      ['30s', 30_000],
      ['1.5S', 1500],
      ['2m', 120_000],
      ['1h', 3_600_000],
    ],
    log: [
      ['text', 'text'],
      ['json', 'json'],
      ['off', 'off'],
    ],
    port: [
      ['0', 0],
      ['65535', 65_535],
    ],
    host: [['0.0.0.0', '0.0.0.0']],
    controlToken: [['x', 'x']],
    seed: [['seed.json', 'seed.json']],
    envelope: [['_data', '_data']],
    latency: [['0', 0]],
    failOn: [
      ['error', 'error'],
      ['warn', 'warn'],
    ],
  };

  it('is tested here', () => {
    expect(Object.keys(RIGHT).sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  it.each(Object.entries(RIGHT))(
    '%s is taken alike as a flag, a variable and a key',
    async (name, values) => {
      for (const [given, taken] of values) {
        const key = name as SettingName;
        expect((await config({ flags: { [key]: given } }))[key]).toEqual(taken);
        expect((await config({ env: { [variableOf(key)]: String(given) } }))[key]).toEqual(taken);
        expect((await config({ file: { [key]: given } }))[key]).toEqual(taken);
      }
    },
  );

  it('is taken in its own type from a config file', async () => {
    expect(
      await config({
        file: { port: 0, recordInCi: true, timeout: 250, bodyLimit: 10, record: true, guard: false },
      }),
    ).toMatchObject({ port: 0, recordInCi: true, timeout: 250, bodyLimit: 10, record: 'all', guard: 'off' });
    expect((await config({ file: { guard: true } })).guard).toBe('on');
  });

  const WRONG: [SettingName, unknown, string][] = [
    ['recording', '', 'a text'],
    ['recording', 5, 'a text'],
    ['host', ['a', 'b'], 'a text'],
    ['seed', null, 'a text'],
    ['recordInCi', 'yes', 'true or false'],
    ['recordInCi', 1, 'true or false'],
    ['port', '-1', 'an integer from 0 to 65535'],
    ['port', '65536', 'an integer from 0 to 65535'],
    ['port', '80.5', 'an integer from 0 to 65535'],
    ['port', 80.5, 'an integer from 0 to 65535'],
    ['port', '0x50', 'an integer from 0 to 65535'],
    ['port', ' 80', 'an integer from 0 to 65535'],
    ['port', true, 'an integer from 0 to 65535'],
    ['port', ['1', '2'], 'an integer from 0 to 65535'],
    ['record', 'some', 'one of: all, new_episodes, once, none'],
    ['record', false, 'one of: all, new_episodes, once, none'],
    ['record', 'ALL', 'one of: all, new_episodes, once, none'],
    ['validation', true, 'one of: enforce, warn, off'],
    ['validation', 'toString', 'one of: enforce, warn, off'],
    ['guard', 'maybe', 'one of: on, off'],
    ['onMiss', ['refuse', 'forward'], 'one of: refuse, forward, record'],
    // Without a slash, or as a URL, no path would ever match, and nothing be judged.
    ['basePath', 'api/v2', 'a path that starts with a slash: /api/v2'],
    ['basePath', 'https://staging.example.com/api/v2', 'a path that starts with a slash: /api/v2'],
    ['basePath', '/api/v2?x=1', 'a path that starts with a slash: /api/v2'],
    ['basePath', '/my%20api', 'a path that starts with a slash: /api/v2'],
    ['bodyLimit', '5 MegaBytes', 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['bodyLimit', '257MiB', 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['bodyLimit', '-1', 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['bodyLimit', '1constructor', 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['bodyLimit', 'Infinity', 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['bodyLimit', ['5MiB'], 'a size of at most 256MiB: 65536, 512KiB, 5MiB'],
    ['timeout', 'soon', 'a duration of at most 596h: 500ms, 30s, 2m'],
    ['timeout', '30 sec', 'a duration of at most 596h: 500ms, 30s, 2m'],
    // A timer of Node that is to wait longer fires at once.
    ['timeout', '600h', 'a duration of at most 596h: 500ms, 30s, 2m'],
    ['latency', '-5ms', 'a duration of at most 596h: 500ms, 30s, 2m'],
    ['latency', true, 'a duration of at most 596h: 500ms, 30s, 2m'],
  ];

  it.each(WRONG)('%s does not take %j', async (name, value, takes) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    expect(await refused({ flags: { [name]: value } })).toBe(
      `${flag}: ${JSON.stringify(value)} is not taken (it takes ${takes})`,
    );
    expect(await refused({ file: { [name]: value } })).toMatch(
      new RegExp(`^${name} in .*patchgate\\.config\\.json: `),
    );
    if (typeof value === 'string' && value !== '')
      expect(await refused({ env: { [variableOf(name)]: value } })).toMatch(
        new RegExp(`^${variableOf(name)}: `),
      );
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
    expect(found).toMatch(new RegExp(`/${name.replaceAll('.', '\\.')}$`));
  });

  it('can be named by a flag, or a variable, and then no other is read', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'patchgate.config.json'), '{"port": 1, "host": "a"}');
    writeFileSync(join(folder, 'mine.json'), '{"port": 2}');
    writeFileSync(join(folder, 'theirs.mjs'), 'export default { port: 3 }');
    const port = async (flags: Record<string, unknown>, env = {}) => {
      const { config, file } = await resolveConfig(flags, {}, env, folder);
      return `${config.port} ${config.host} ${file?.slice(folder.length + 1)}`;
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
    ['patchgate.config.json', '{"port": }', 'cannot read the config file '],
    ['patchgate.config.json', '', 'cannot read the config file '],
    ['patchgate.config.json', '[]', 'does not hold an object (write { "recording": "checkout" })'],
    ['patchgate.config.json', 'null', 'does not hold an object'],
    [
      'patchgate.config.mjs',
      'export const port = 1;',
      'does not hold an object (write export default { recording: "checkout" })',
    ],
    ['patchgate.config.mjs', 'export default 5;', 'does not hold an object'],
    ['patchgate.config.mjs', 'throw new Error("no luck")', 'no luck'],
    ['patchgate.config.mjs', 'export default {', 'cannot read the config file '],
  ])('%s that holds %j is refused', async (name, file, message) => {
    const text = await refused({ name, file });
    expect(text).toContain(message);
    expect(text).toContain(name);
  });

  it('has known keys only', async () => {
    expect(await refused({ file: { recrodings: 'x' } })).toMatch(
      /^unknown key "recrodings" in .*patchgate\.config\.json \(did you mean "recordings"\?\)$/,
    );
    expect(await refused({ file: { 'base-path': '/x' } })).toContain('did you mean "basePath"?');
    expect(await refused({ file: { rule: {} } })).toContain('did you mean "rules"?');
    expect(await refused({ file: { colour: 1 } })).toMatch(/\(known keys: .*contract, .*\)$/);
    expect(await refused({ file: '{"__proto__": {"port": 1}}' })).toContain('unknown key "__proto__"');
    expect((await config({ file: { $schema: 'x' } })).port).toBe(4010);
  });

  it('gives severities by rule', async () => {
    const rules = { 'schema.unknown-field': 'error', 'project.empty-list': 'off', 'schema.observed': 'warn' };
    expect((await config({ file: { rules } })).rules).toEqual(rules);
    expect(await refused({ file: { rules: { 'schema.type': 'fatal' } } })).toMatch(
      /rules\["schema\.type"\] in .* is "fatal" \(a severity is one of: error, warn, off\)$/,
    );
    expect(await refused({ file: { rules: { 'schema.type': 2 } } })).toContain('is 2');
    expect(await refused({ file: { rules: [] } })).toContain(
      'must be an object of rule names and severities',
    );
    expect(await refused({ file: { rules: null } })).toContain(
      'must be an object of rule names and severities',
    );
  });
});

describe('the environment', () => {
  it.each([
    ['PATCHGATE_PROT', 'PATCHGATE_PORT'],
    ['PATCHGATE_BODYLIMIT', 'PATCHGATE_BODY_LIMIT'],
    ['PATCHGATE_VALIDATON', 'PATCHGATE_VALIDATION'],
    ['PATCHGATE_CONFG', 'PATCHGATE_CONFIG'],
    ['PATCHGATE_recording', 'PATCHGATE_RECORDING'],
  ])('with %s is refused: it would be without effect', async (variable, meant) => {
    expect(await refused({ env: { [variable]: 'x' } })).toBe(
      `unknown environment variable ${variable} (did you mean ${meant}?)`,
    );
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
