import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configText } from '../../src/commands/config.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { SETTINGS, type SettingName } from '../../src/settings/settings.ts';
import { laterRefusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FILE = `{
  "recording": "checkout",
  "timeout": "90s",
  "redact": ["/users/*/email"],
  "overrides": [{ "rules": { "schema.unknown-field": "error" } }]
}`;

function folderWith(text: string, name = 'patchgate.config.json') {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const lines = async (
  cwd: string,
  flags: Record<string, unknown> = {},
  env: Record<string, string> = {},
  command?: string,
) =>
  (await configText(flags, command, 'text', { env, cwd }))
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, '  '));

async function parsed(cwd: string, flags: Record<string, unknown> = {}, command?: string) {
  const text = await configText(flags, command, 'json', { env: {}, cwd });
  return JSON.parse(text) as {
    version: number;
    command: string | null;
    file: string | null;
    settings: Record<string, { value: unknown; origin: string | null; where: string | null }>;
    extras: Record<string, unknown>;
  };
}

describe('the settings in force', () => {
  it('are those that the command goes by', async () => {
    const cwd = folderWith('{ "state": "s.json", "validation": "off" }');
    const said = await lines(cwd, {}, {}, 'check');
    expect(said).toContain('Not used by check: state, validation');
    expect(said.some((line) => line.startsWith('validation'))).toBe(false);
    expect(await lines(cwd, { state: 'x.json' }, {}, 'check')).toContain('state  x.json  --state');
    expect((await parsed(cwd, {}, 'check')).settings.state).toMatchObject({ value: 's.json', unused: true });
    expect((await parsed(cwd, {}, 'proxy')).settings.state).not.toHaveProperty('unused');
    expect(await lines(cwd, {}, {}, 'proxy')).toContain('validation  off  patchgate.config.json:1:22');
  });

  it('are told with their place, what somebody said before the defaults', async () => {
    const said = await lines(folderWith(FILE), { port: '8080' }, { PATCHGATE_LOG: 'json' });
    expect(said.slice(0, 11)).toEqual([
      'Config file: patchgate.config.json',
      '',
      'log  json  PATCHGATE_LOG',
      'port  8080  --port',
      'recording  checkout  patchgate.config.json:2:3',
      'redact  ["/users/*/email"]  patchgate.config.json:4:3',
      'timeout  90s  patchgate.config.json:3:3',
      'overrides  1  patchgate.config.json:5:3',
      '',
      'allowDelete  []  default',
      'approvers  []  default',
    ]);
    expect(said.slice(-3)).toEqual(['', expect.stringMatching(/^Not set: audit, .*guard.*tlsKey, ui$/), '']);
    for (const name of Object.keys(SETTINGS)) expect(said.join('\n')).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('are those of a command', async () => {
    const cwd = temporaryFolder();
    expect(await lines(cwd, {}, {}, 'proxy')).toEqual(
      expect.arrayContaining(['guard  on  default', 'state  .patchgate/state.json  default']),
    );
    expect(await lines(cwd, {}, {}, 'check')).toContain('guard  off  default');
    expect((await parsed(cwd, {}, 'plan')).settings.guard).toEqual({
      value: 'on',
      origin: 'default',
      where: null,
    });
    expect((await parsed(cwd)).settings.guard).toEqual({ value: null, origin: null, where: null });
    const other = configText({}, 'prxy', 'text', { env: {}, cwd });
    expect(await laterRefusal('bad-usage', other)).toBe('unknown command "prxy" (did you mean "proxy"?)');
    const lent = configText({}, 'toString', 'text', { env: {}, cwd });
    expect(await laterRefusal('bad-usage', lent)).toContain('proxy, replay, fake, exec, check, plan');
  });

  it('come from a file that was found above, or from none', async () => {
    const above = folderWith(FILE);
    const cwd = join(above, 'packages', 'app');
    mkdirSync(cwd, { recursive: true });
    expect(await lines(cwd)).toEqual(
      expect.arrayContaining([
        'Config file: ../../patchgate.config.json',
        'timeout  90s  ../../patchgate.config.json:3:3',
        'recordings  ../../recordings  default',
      ]),
    );
    const empty = temporaryFolder();
    expect((await lines(empty))[0]).toBe(
      `Config file: none (no patchgate.config.js, patchgate.config.mjs, patchgate.config.json in ${empty} or above)`,
    );
  });

  it('show whose a token is, and from which variable', async () => {
    const approvers = ['alice=t0ken-of-alice', 'bob=env:BOB'];
    const said = await lines(temporaryFolder(), { approvers });
    expect(said).toContain('approvers  ["alice=[redacted]","bob=env:BOB"]  --approvers');
  });

  it('show nothing that is secret, and nothing that a terminal obeys', async () => {
    const cwd = folderWith(
      JSON.stringify({
        controlToken: 'S3CRETS3CRETS3CRET',
        target: 'https://user:S3CRET@staging.example.com/api?token=S3CRET',
        recording: '\u001b[2Jx',
      }),
    );
    const said = (await lines(cwd)).join('\n');
    expect(said).toMatch(/^controlToken +\[redacted\] /m);
    expect(said).toContain('https://[redacted]@staging.example.com/api?token=[redacted]');
    expect(said).toContain('\\u001b[2Jx');
    expect(said + JSON.stringify(await parsed(cwd))).not.toContain('S3CRET');
  });

  it('are, in JSON, what a config file can have', async () => {
    const flags = {
      ...{
        guard: 'strict',
        record: 'once',
        state: '',
        target: 'https://staging.example.com',
      },
      ...{
        timeout: '90s',
      },
      ...{ fault: ['GET status=503 rate=0.5; reset', 'latency=50ms..2s'] },
      ...{ redactPatterns: '\\d,\\d', ignorePointers: '/a,/b' },
    };
    const cwd = temporaryFolder();
    const { version, command, file, settings } = await parsed(cwd, flags);
    expect({ version, command, file }).toEqual({ version: 1, command: null, file: null });
    expect(Object.keys(settings).sort()).toEqual(Object.keys(SETTINGS).sort());
    expect(settings.timeout).toEqual({ value: '90s', origin: 'flag', where: '--timeout' });
    const shown = (name: SettingName) => settings[name]?.value;
    expect(shown('state')).toBe(false);
    const set = Object.entries(settings).filter(([, { value }]) => value !== null);
    const written = Object.fromEntries(set.map(([name, { value }]) => [name, value]));
    const again = await resolveConfig({}, {}, {}, folderWith(JSON.stringify(written)));
    const first = await resolveConfig(flags, {}, {}, cwd);
    for (const name of Object.keys(SETTINGS) as SettingName[])
      expect([name, again.config[name]]).toEqual([name, first.config[name]]);
  });

  it('have, beside them, what only a config file says', async () => {
    const text = `export default {
      overrides: [{ files: 'a', rules: { 'schema.type': 'off' } }],
    };`;
    const cwd = folderWith(text, 'patchgate.config.mjs');
    const where = 'patchgate.config.mjs';
    expect(await parsed(cwd)).toMatchObject({
      file: join(cwd, where),
      extras: {
        overrides: { value: 1, where },
      },
    });
  });

  it.each([
    [
      '{ "overrides": [{ "rules": { "schema.tpe": "off" } }] }',
      '"schema.tpe"',
      'did you mean "schema.type"?',
    ],
  ])('are refused where they name what the contract does not have: %s', async (text, message, hint) => {
    const said = await laterRefusal('bad-config', parsed(folderWith(text)));
    expect(said).toContain(message);
    expect(said).toContain(hint);
  });
});
