import { describe, expect, it } from 'vitest';
import { defineConfig, type UserConfig } from '../../src/settings/define-config.ts';
import { flagOf, SETTINGS, type Setting, type SettingName, variableOf } from '../../src/settings/settings.ts';
import { config, refused } from '../support/config.ts';

/** As a config file has it: what is a number or true there is no text. */
function typed(name: SettingName, given: string): unknown {
  const { type }: Setting = SETTINGS[name];
  return type === 'boolean' ? given === 'true' : type === 'integer' ? Number(given) : given;
}

const asItIs = (...words: string[]): [string, string][] => words.map((word) => [word, word]);
const isOnOrOff: [string, boolean][] = [
  ['true', true],
  ['false', false],
];

describe('each setting', () => {
  const RIGHT: Record<SettingName, [given: string, taken: unknown][]> = {
    contract: asItIs('./my-contract'),
    recordings: asItIs('r'),
    recording: asItIs('checkout'),
    record: asItIs('all', 'new_episodes', 'once', 'none'),
    target: asItIs('https://staging.example.com/api/v2'),
    targetCa: asItIs('ca.crt'),
    validation: asItIs('enforce', 'warn', 'off'),
    guard: asItIs('on', 'strict', 'off'),
    state: [['held.json', 'held.json']],
    readState: isOnOrOff,
    approvers: [['anna=t0ken-of-anna, ben=env:BEN', ['anna=t0ken-of-anna', 'ben=env:BEN']]],
    allowDelete: [['e2e-*, tmp', ['e2e-*', 'tmp']]],
    protect: [['Production, live-*', ['Production', 'live-*']]],
    timeout: [
      ['0', 0],
      ['500ms', 500],
      ['1.5S', 1500],
      ['2m', 120_000],
      ['1h', 3_600_000],
    ],
    log: asItIs('text', 'json', 'off'),
    port: [
      ['0', 0],
      ['65535', 65_535],
    ],
    ui: [['4020', 4020]],
    host: asItIs('0.0.0.0'),
    audit: asItIs('audit.jsonl'),
    tlsCert: asItIs('server.crt'),
    tlsKey: asItIs('server.key'),
    targetCert: asItIs('own.crt'),
    targetKey: asItIs('own.key'),
    setHeader: [['Authorization=env:TOKEN', ['Authorization=env:TOKEN']]],
    controlToken: asItIs('x'),
    recordOnly: asItIs('judged', 'ok', 'judged,ok'),
    redact: [
      ['ssn, !x-trace', ['ssn', '!x-trace']],
      ['/users/*/email,/id', ['/users/*/email', '/id']],
    ],
    matchHeaders: [['accept-language', ['accept-language']]],
    ignorePointers: [['/environments/*/id', ['/environments/*/id']]],
    ignoreQuery: [['timestamp', ['timestamp']]],
    strictSequence: isOnOrOff,
    failUnused: isOnOrOff,
    seed: asItIs('seed.json'),
    fault: [
      [
        'GET status=503 count=2; latency=1s',
        [
          { text: 'GET status=503 count=2', method: 'GET', status: 503, count: 2 },
          { text: 'latency=1s', latency: { from: 1000, to: 1000 } },
        ],
      ],
    ],
    store: asItIs('postgres://db.example.com/gates'),
    failOn: asItIs('error', 'warn'),
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
        expect((await config({ env: { [variableOf(key)]: given } }))[key]).toEqual(taken);
        expect((await config({ file: { [key]: typed(key, given) } }))[key]).toEqual(taken);
      }
    },
  );

  const LIST = 'texts: Production, e2e-*';
  const PORT = 'an integer from 0 to 65535';
  const POINTERS = 'JSON Pointers, with * for any one: /environments/*/id';
  const DURATION = 'a duration with its unit: 500ms, 30s, 2m';
  const SECRETS =
    'names, !name for one to keep, or JSON Pointers with * for any one: pin,!signature,/users/*/email';
  const WRONG: [SettingName, unknown, string][] = [
    ['recording', 5, 'a text'],
    ['seed', null, 'a text'],
    ['failUnused', 'yes', 'true or false'],
    ['failUnused', 1, 'true or false'],
    ...['-1', 65536, '80.5', '0x50', ' 80', true].map((port): [SettingName, unknown, string] => [
      'port',
      port,
      PORT,
    ]),
    ['record', 'some', 'one of: all, new_episodes, once, none'],
    ['record', 'nnone', 'one of: all, new_episodes, once, none; did you mean "none"?'],
    ['record', false, 'one of: all, new_episodes, once, none'],
    ['validation', true, 'one of: enforce, warn, off'],
    ['validation', 'toString', 'one of: enforce, warn, off'],
    ['guard', 'maybe', 'one of: on, strict, off'],
    ['state', true, 'a text, or false'],
    ['allowDelete', 5, LIST],
    ['protect', '', LIST],
    // Without a slash, no path would ever match.
    ['ignorePointers', 'environments/*/id', POINTERS],
    ['ignorePointers', ['/a', 'b'], POINTERS],
    ['redact', '/a~2', SECRETS],
    ['redact', ['pin', '!'], SECRETS],
    ['redact', '!/a', SECRETS],
    ['timeout', 'soon', DURATION],
    ['timeout', '30 sec', DURATION],
    ['timeout', '5', DURATION],
    ['fault', true, 'faults: ["PATCH /accounts/** status=503 count=2"]'],
  ];

  it.each(WRONG)('%s does not take %j', async (name, value, takes) => {
    expect(await refused({ flags: { [name]: value } })).toBe(
      `invalid value ${JSON.stringify(value)} for --${flagOf(name)} (it takes ${takes})`,
    );
    expect(await refused({ file: { [name]: value } })).toMatch(
      new RegExp(` for ${name} in .*patchgate\\.config\\.json:1:\\d+ `),
    );
    if (typeof value === 'string' && value !== '')
      expect(await refused({ env: { [variableOf(name)]: value } })).toContain(` for ${variableOf(name)} `);
  });

  it.each([
    // A timer of Node that is to wait longer fires at once.
    [{ port: ['1', '2'] }, 'invalid value ["1","2"] for --port (it takes an integer from 0 to 65535)'],
  ])('does not take what looks right: %j', async (flags, says) => {
    expect(await refused({ flags })).toContain(says);
  });

  it('is taken in its own type from a config file, and in no other', async () => {
    const file = { port: 0, failUnused: true, timeout: 0, record: true, guard: false, state: false };
    expect(await config({ file })).toMatchObject({
      ...{ port: 0, failUnused: true, timeout: 0, record: 'all', guard: 'off', state: '' },
    });
    expect((await config({ file: { guard: true } })).guard).toBe('on');
    expect((await config({ env: { PATCHGATE_GUARD: 'false' } })).guard).toBe('off');
    expect(await refused({ file: { failUnused: 'true' } })).toContain('invalid value "true" for failUnused');
    expect(await refused({ file: { port: '4010' } })).toContain('invalid value "4010" for port');
  });

  it('means, as a bare flag, what is most useful', async () => {
    expect(await config({ flags: { record: '', guard: '' } })).toMatchObject({ record: 'all', guard: 'on' });
    expect(await config({ flags: { guard: false, state: false } })).toMatchObject({
      guard: 'off',
      state: '',
    });
  });

  it('is, where it is a duration, milliseconds in the number of a program', async () => {
    expect((await config({ flags: { timeout: 250 } })).timeout).toBe(250);
    expect(await refused({ file: { timeout: 250 } })).toContain('invalid value 250 for timeout');
  });

  it('is not shown where it is secret', async () => {
    for (const given of [
      { file: { controlToken: 4711 } },
      { flags: { target: 'ftp://me:4711@staging.example.com' } },
      ...['=4711', 'alice', 'alice=', 'alice=4711 two', 'a=4711,b'].map((approvers) => ({
        flags: { approvers },
      })),
    ]) {
      const said = await refused(given);
      expect(said).toMatch(/^invalid value for .* \(it takes /);
      expect(said).not.toContain('4711');
    }
  });

  it.each([
    ['port: 4010n', 'invalid value 4010n for port'],
    ['port: () => 1', 'invalid value a function for port'],
    ["recording: { name: 'x' }", "invalid value { name: 'x' } for recording"],
  ])('is shown in one short line, whatever a program gives: %s', async (text, says) => {
    const said = await refused({ name: 'patchgate.config.mjs', file: `export default { ${text} };` });
    expect(said).toContain(says);
    expect(said).not.toContain('\n');
  });
});

it('the types refuse what the product refuses', () => {
  // The type check of the whole repository fails where one of these is taken.
  const wrong: UserConfig[] = [
    // @ts-expect-error there is no such setting
    { recrding: 'x' },
    // @ts-expect-error no unit of time
    { timeout: '30 sec' },
    // @ts-expect-error a number has no unit
    { timeout: 30 },
    // @ts-expect-error a text is no number
    { port: '4010' },
    // @ts-expect-error none of the words
    { validation: 'enforced' },
    // @ts-expect-error no severity
    { overrides: [{ rules: { 'schema.type': 'fatal' } }] },
  ];
  expect(wrong.map(defineConfig)).toEqual(wrong);
  const right: UserConfig = { timeout: '250ms', record: true, guard: false, state: false, redact: ['pin'] };
  expect(defineConfig(right)).toBe(right);
});
