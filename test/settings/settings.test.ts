import { describe, expect, it } from 'vitest';
import { SETTINGS, type Setting, type SettingName, variableOf } from '../../src/settings/settings.ts';
import { config, refused, resolve } from '../support/config.ts';
import { laterRefusal } from '../support/errors.ts';

/** As a config file has it: what is a number or true there is no text. */
function typed(name: SettingName, given: string | boolean): unknown {
  const setting: Setting = SETTINGS[name];
  if (setting.type === 'boolean') return given === 'true' || given === '1';
  const isNumber = setting.type === 'integer';
  return isNumber ? Number(given) : given;
}

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
    target: [['https://staging.example.com/api/v2', 'https://staging.example.com/api/v2']],
    targetCa: [['ca.crt', 'ca.crt']],
    targetInsecure: [
      ['true', true],
      ['false', false],
    ],
    validation: [
      ['enforce', 'enforce'],
      ['warn', 'warn'],
      ['off', 'off'],
    ],
    guard: [
      ['on', 'on'],
      ['strict', 'strict'],
      ['off', 'off'],
    ],
    state: [
      ['held.json', 'held.json'],
      ['.patchgate/state.json', '.patchgate/state.json'],
    ],
    readState: [
      ['true', true],
      ['false', false],
    ],
    approvers: [['anna=t0ken-of-anna, ben=file:ben.txt', ['anna=t0ken-of-anna', 'ben=file:ben.txt']]],
    allowDelete: [['e2e-*, tmp', ['e2e-*', 'tmp']]],
    protect: [['Production, live-*', ['Production', 'live-*']]],
    basePath: [
      ['/api/v2', '/api/v2'],
      ['/', ''],
      ['/api/v2/', '/api/v2'],
    ],
    timeout: [
      ['0', 0],
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
    ui: [
      ['0', 0],
      ['4020', 4020],
    ],
    host: [['0.0.0.0', '0.0.0.0']],
    audit: [['audit.jsonl', 'audit.jsonl']],
    tlsCert: [['server.crt', 'server.crt']],
    targetCert: [['own.crt', 'own.crt']],
    targetKey: [['own.key', 'own.key']],
    setHeader: [['Authorization=env:TOKEN', ['Authorization=env:TOKEN']]],
    tlsKey: [['server.key', 'server.key']],
    controlToken: [['x', 'x']],
    recordOnly: [['judged,ok', 'judged,ok']],
    durability: [
      ['process', 'process'],
      ['fsync', 'fsync'],
    ],
    redact: [
      ['ssn', ['ssn']],
      ['ssn, !x-trace', ['ssn', '!x-trace']],
      ['/users/*/email,/id', ['/users/*/email', '/id']],
    ],
    redactPatterns: [['\\d{3},\\d{2}', ['\\d{3},\\d{2}']]],
    matchHeaders: [['accept-language', ['accept-language']]],
    ignorePointers: [['/environments/*/id', ['/environments/*/id']]],
    ignoreQuery: [['timestamp', ['timestamp']]],
    strictSequence: [['true', true]],
    failUnused: [['true', true]],
    seed: [['seed.json', 'seed.json']],
    fault: [
      ['reset', [{ reset: true }]],
      [
        'GET status=503 count=2; latency=1s',
        [{ method: 'GET', answer: { status: 503 }, count: 2 }, { latency: { from: 1000, to: 1000 } }],
      ],
    ],
    store: [['postgres://db.example.com/gates', 'postgres://db.example.com/gates']],
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
        expect((await config({ file: { [key]: typed(key, given) } }))[key]).toEqual(taken);
      }
    },
  );

  it('is taken in its own type from a config file', async () => {
    expect(
      await config({
        file: { port: 0, failUnused: true, timeout: 0, record: true, guard: false },
      }),
    ).toMatchObject({ port: 0, failUnused: true, timeout: 0, record: 'all', guard: 'off' });
    expect((await config({ file: { guard: true } })).guard).toBe('on');
  });

  it('is, where it is a duration, milliseconds in the number of a program alone', async () => {
    const latency = 7;
    expect(await config({ flags: { timeout: 250, fault: [{ latency }] } })).toMatchObject({
      timeout: 250,
      fault: [{ latency: { from: 7, to: 7 } }],
    });
    for (const file of [{ timeout: 250 }, { fault: [{ latency }] }])
      expect(await refused({ file })).toMatch(
        /^invalid value .* \(it takes a (?:unit|duration with its unit), /,
      );
    expect(await config({ file: { fault: [{ latency: 0 }] } })).toMatchObject({
      fault: [{ latency: { from: 0, to: 0 } }],
    });
  });

  it('is off, where it may be, with false, and with an empty text from the command line and a file', async () => {
    expect((await config({ file: { state: false } })).state).toBe('');
    expect((await config({ file: { state: '' } })).state).toBe('');
    expect((await config({ flags: { state: '' } })).state).toBe('');
    expect((await config({ flags: { state: '' }, file: { state: 'held.json' } })).state).toBe('');
    // As with every setting: a variable that is empty is one that is not there.
    expect((await config({ env: { PATCHGATE_STATE: '' }, file: { state: 'held.json' } })).state).toBe(
      'held.json',
    );
  });

  it('is, where it is pointers, the whole body too, but from a config file alone', async () => {
    const { ignorePointers } = await config({ file: { ignorePointers: ['', '/a'] } });
    expect(ignorePointers).toEqual(['', '/a']);
    expect((await config({ file: { ignorePointers: '' } })).ignorePointers).toEqual([]);
  });

  const SECRETS =
    'names, !name for one to keep, or JSON Pointers with * for any one: pin,!signature,/users/*/email';
  const WRONG: [SettingName, unknown, string][] = [
    ['recording', '', 'a text'],
    ['recording', 5, 'a text'],
    ['seed', null, 'a text'],
    ['failUnused', 'yes', 'true or false'],
    ['failUnused', 1, 'true or false'],
    ['port', '-1', 'an integer from 0 to 65535'],
    ['port', 65536, 'an integer from 0 to 65535'],
    ['port', '80.5', 'an integer from 0 to 65535'],
    ['port', 80.5, 'an integer from 0 to 65535'],
    ['port', '0x50', 'an integer from 0 to 65535'],
    ['port', ' 80', 'an integer from 0 to 65535'],
    ['port', true, 'an integer from 0 to 65535'],
    [
      'record',
      'some',
      'one of: all, new_episodes, once, none; the name of a recording is the setting recording',
    ],
    ['record', 'nnone', 'one of: all, new_episodes, once, none; did you mean "none"?'],
    ['record', false, 'one of: all, new_episodes, once, none'],
    ['record', 'ALL', 'one of: all, new_episodes, once, none; did you mean "all"?'],
    ['validation', true, 'one of: enforce, warn, off'],
    ['validation', 'toString', 'one of: enforce, warn, off'],
    ['guard', 'maybe', 'one of: on, strict, off'],
    ['state', true, 'a text'],
    ['state', 5, 'a text'],
    ['allowDelete', 5, 'texts'],
    ['protect', 5, 'names, with * and ?: Production, live-*'],
    ['protect', '', 'names, with * and ?: Production, live-*'],
    // Without a slash, or as a URL, no path would ever match, and nothing be judged.
    ['ignorePointers', 'environments/*/id', 'JSON Pointers, with * for any one: /environments/*/id'],
    ['ignorePointers', ['/a', 'b'], 'JSON Pointers, with * for any one: /environments/*/id'],
    ['redact', '/a~2', SECRETS],
    ['redact', ['pin', '!'], SECRETS],
    ['redact', '!/a', SECRETS],
    [
      'basePath',
      'api/v2',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      'https://staging.example.com/api/v2',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '/api/v2?x=1',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '/my%20api',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '//api/v2',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '/api/../v2',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '/api/v2//',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    [
      'basePath',
      '/api;x/v2',
      'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
    ],
    ['timeout', 'soon', 'a duration of at most 596h: 500ms, 30s, 2m'],
    ['timeout', '30 sec', 'a duration of at most 596h: 500ms, 30s, 2m'],
    // A timer of Node that is to wait longer fires at once.
    ['timeout', '600h', 'a duration of at most 596h: 500ms, 30s, 2m'],
    ['timeout', '5', 'a unit, too: 5s, 5ms, 5m, 5h or 5d'],
    ['fault', true, 'a list of at most 100 faults: ["PATCH status=503 count=2"]'],
  ];

  it.each(WRONG)('%s does not take %j', async (name, value, takes) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    expect(await refused({ flags: { [name]: value } })).toBe(
      `invalid value ${JSON.stringify(value)} for ${flag} (it takes ${takes})`,
    );
    expect(await refused({ file: { [name]: value } })).toMatch(
      new RegExp(` for ${name} in .*patchgate\\.config\\.json:1:\\d+ `),
    );
    if (typeof value === 'string' && value !== '')
      expect(await refused({ env: { [variableOf(name)]: value } })).toMatch(
        new RegExp(` for ${variableOf(name)} `),
      );
  });

  it.each([
    ['host', ['a', 'b'], '--host is given more than once (give it once)'],
    ['port', ['1', '2'], '--port is given more than once (give it once)'],
    ['state', ['', 'x'], '--state and --no-state are both given (give one of them, once)'],
  ])('--%s is given once', async (name, values, says) => {
    expect(await laterRefusal('bad-usage', resolve({ flags: { [name]: values } }))).toBe(says);
    expect(await refused({ file: { [name]: values } })).toContain('invalid value [');
  });

  it.each([
    [{ failUnused: 'true' }, 'invalid value "true" for failUnused'],
    [{ port: '4010' }, 'invalid value "4010" for port'],
  ])('is no text in a config file where it is none: %j', async (file, says) => {
    expect(await refused({ file })).toContain(says);
  });

  it('is not shown where it is secret', async () => {
    const said = await refused({ file: { controlToken: 4711 } });
    expect(said).toContain('controlToken in ');
    expect(said).not.toContain('4711');
  });

  it.each([
    '=t0ken',
    'alice',
    'alice=',
    'alice=t0ken two',
    ' =t0ken',
    'a=t0ken,b',
    'a\u0007=t0ken',
    'a=t0kén',
  ])('is a name and a token, which is not shown: %j', async (client) => {
    for (const given of [{ flags: { approvers: client } }, { file: { approvers: [client] } }]) {
      const said = await refused(given);
      expect(said).toMatch(
        /^invalid value for (?:--)?approvers.* \(it takes NAME=TOKEN or NAME=env:VARIABLE, /,
      );
      expect(said).not.toContain('t0k');
    }
  });

  it.each([
    ['port: 4010n', 'invalid value 4010n for port'],
    ['port: () => 1', 'invalid value a function for port'],
    ['port: { get a() { throw 1; } }', 'invalid value {'],
    ["recording: { name: 'x' }", '[Object]'],
    ['port: Symbol("a")', 'invalid value Symbol(a) for port'],
  ])('is shown in one short line, whatever a program gives: %s', async (text, says) => {
    const said = await refused({ name: 'patchgate.config.mjs', file: `export default { ${text} };` });
    expect(said).toContain(says.replace('[Object]', "invalid value { name: 'x' } for recording"));
    expect(said).not.toContain('\n');
  });
});
