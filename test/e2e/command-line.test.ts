/** What people type, and what they are told. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flagOf, SETTING_NAMES } from '../../src/settings/settings.ts';
import { runBinary, startBinary } from '../support/binary.ts';
import { type Described, describedCommands } from '../support/described-commands.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');
const COMMANDS = await describedCommands();
const nameOf = ({ usage }: Described) => usage.replace(/ [<[].*/, '');

describe('help', () => {
  it('is what patchgate alone prints', async () => {
    const { code, stdout } = await runHere([]);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
    for (const name of new Set(COMMANDS.map((command) => words(command.usage)[0])))
      expect(stdout).toContain(`patchgate ${name}`);
    expect(await runHere(['--help'])).toEqual({ code, stdout, stderr: '' });
  });

  it.each(COMMANDS.map(nameOf))('of %s fits a screen, and ends with two examples', async (name) => {
    const { code, stdout } = await runHere([...words(name), '--help']);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(stdout, 'a word that breaks').not.toMatch(/\w\n +(?:\w+\n|\w+ {9})/);
    const examples = stdout.split('\nExamples:\n')[1] ?? '';
    expect(examples.match(/^ {2}patchgate /gm)).toHaveLength(2);
  });

  it('has every setting in some command, and no option that the table lacks', async () => {
    const own = COMMANDS.flatMap(({ options }) => [...options.keys()]);
    expect(SETTING_NAMES.map(flagOf).filter((flag) => flag !== 'target' && !own.includes(flag))).toEqual([]);
    for (const name of ['proxy', 'replay', 'fake']) {
      const short = (await runHere([name, '--help'])).stdout;
      const long = (await runHere([name, '--help-all'])).stdout;
      const known = [...SETTING_NAMES.map(flagOf), 'help', 'help-all', 'version', 'config'];
      const flags = [...long.matchAll(/^ {2}(?:-\w,| {3}) --([\w-]+)/gm)].map(([, flag]) => flag);
      expect(flags.filter((flag) => !known.includes(flag as string))).toEqual([]);
      expect(long).toContain('--tls-key');
      expect(short).not.toContain('--tls-key');
    }
  });

  it('is asked for in other ways, too', async () => {
    const help = await runHere(['proxy', '--help']);
    expect(await runHere(['proxy', '-h'])).toEqual(help);
    expect((await runHere(['plan', '--help-all'])).stdout).toContain('--project');
    expect((await runHere(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('what is not understood', () => {
  it.each([
    ['prxy', 'there is no such command\n  did you mean proxy?'],
    ['hold', 'there is no such command\n  see patchgate --help'],
    ['recordings lst', 'did you mean list?'],
    ['recordings', 'no command is given after recordings'],
    ['proxy --recrding x', 'unknown argument: recrding\n  did you mean --recording?'],
    ['replay --fail-unusd', 'unknown argument: fail-unusd\n  did you mean --fail-unused?'],
    ['replay checkout', 'unknown argument: checkout'],
    ['plan x --project 1 --format nope', 'patchgate: --format is "nope", but must be one of'],
    ['proxy http://127.0.0.1:9 8080', 'unknown argument: 8080'],
    [
      'config --record onec',
      'invalid value "onec" for --record\n  it takes one of: all, new_episodes, once, none; did you mean "once"?',
    ],
    ['proxy --record checkout http://127.0.0.1:9', 'invalid value "checkout" for --record'],
    [
      'proxy --guard srict',
      'invalid value "srict" for --guard\n  it takes one of: on, strict, off; did you mean "strict"?',
    ],
    ['config --port a', 'invalid value "a" for --port\n  it takes an integer from 0 to 65535'],
    // yargs alone would take it for off.
    ['config --read-state=1', 'patchgate: --read-state takes no value'],
    ['replay --recording', 'patchgate: --recording has no value'],
    ['plan', 'patchgate: missing argument: <body>\n'],
    ['exec', 'no command is given\n  it stands behind --: patchgate exec --recording checkout -- npm test'],
    ['exec --recording x pytest -q', 'put -- before the command: patchgate exec [options] -- pytest'],
    ['exec --record npm test', 'put -- before the command: patchgate exec [options] -- test'],
    [
      'config prxy',
      'unknown command "prxy"\n  it is one of: proxy, replay, fake, exec, check, plan; did you mean "proxy"?',
    ],
  ])('%s', async (line, says) => {
    const { code, stdout, stderr } = await runHere(words(line));
    expect(stderr).toContain(`patchgate: `);
    expect(stderr).toContain(says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('a bare flag', () => {
  it('stands before the target, too', async () => {
    const cwd = temporaryFolder();
    const gate = await startBinary(['proxy', '--record', 'http://127.0.0.1:9', '--guard'], {
      cwd,
    });
    const { stderr } = await gate.stop();
    expect(stderr).toContain('forwards to http://127.0.0.1:9');
    expect(stderr).toContain('"default"');
    expect(stderr).toContain('guard on');
  });

  it.each([
    ['config --record --recording checkout', ['record: all (--record)', 'recording: checkout (--recording)']],
    ['config --record=once --guard', ['record: once (--record)', 'guard: on (--guard)']],
    ['config --no-guard --no-state --no-read-state', ['guard: off', 'state: false', 'readState: false']],
    ['config --redact a,b --redact c -p 0', ['redact: a, b, c (--redact)', 'port: 0 (--port)']],
    ['config --fail-unused', ['failUnused: true (--fail-unused)']],
  ])('%s', async (line, says) => {
    const { code, stdout } = await runHere(words(line));
    for (const text of says) expect(stdout).toContain(text);
    expect(code).toBe(0);
  });
});

it('the shell is told what can follow', async () => {
  const completions = async (line: string) =>
    (await runHere(['--get-yargs-completions', 'patchgate', ...words(line)])).stdout.trim().split('\n');
  expect(await completions('pro')).toContain('proxy');
  expect(await completions('recordings sh')).toContain('show');
  expect(await completions('check --op')).toContain('--operation');
  const { code, stdout } = await runBinary(['completion']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('patchgate --get-yargs-completions')]);
});

describe('config', () => {
  it('prints what is in force and where it came from, and no secret', async () => {
    const cwd = temporaryFolder();
    const file = {
      target: 'https://me:hunter2@staging.example.com',
      timeout: '10s',
      setHeader: ['X-Key=abc'],
    };
    writeFileSync(
      join(cwd, 'patchgate.config.json'),
      JSON.stringify({ ...file, fault: 'GET reset' }, null, 2),
    );
    const env = { PATCHGATE_LOG: 'json', PATCHGATE_CONTROL_TOKEN: 'hunter2' };
    const { code, stdout } = await runHere(['config', 'proxy', '--port', '8080'], { cwd, env });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/hunter2|abc/);
    for (const line of [
      'Config file: patchgate.config.json',
      'timeout: 10s (patchgate.config.json:3:3)',
      'setHeader: X-Key=[redacted] (patchgate.config.json:4:3)',
      'fault: GET reset (patchgate.config.json:7:3)',
      'log: json (PATCHGATE_LOG)',
      'controlToken: [redacted] (PATCHGATE_CONTROL_TOKEN)',
      'port: 8080 (--port)',
      'guard: on',
      'state: .patchgate/state.json',
    ])
      expect(stdout.split('\n')).toContain(line);
    expect(stdout).toMatch(/\nNot set: .*seed/);
  });
});

describe('init', () => {
  it('writes what a project needs, and overwrites nothing', async () => {
    const cwd = temporaryFolder();
    const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
    writeFileSync(join(cwd, 'package.json'), '{\n\t"name": "shop",\n\t"scripts": { "test": "vitest" }\n}\n');
    writeFileSync(join(cwd, '.gitignore'), 'node_modules');
    const args = ['init', '--ci', '--target', 'https://staging.example.com/api/v2'];
    const { code, stdout } = await runHere(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('patchgate.config.mjs written\npackage.json: script test:offline added\n');
    expect(read('patchgate.config.mjs')).toContain(
      "// Base URL of the real service\n  target: 'https://staging",
    );
    expect(JSON.parse(read('package.json'))).toEqual({
      name: 'shop',
      scripts: { test: 'vitest', 'test:offline': 'patchgate exec -- npm test' },
    });
    expect(read('package.json')).toContain('\n\t"name"');
    expect(read('.gitignore')).toBe('node_modules\n.patchgate/\n');
    expect(read('.github/workflows/patchgate.yml')).toContain('run: npm run test:offline');
    const files = ['patchgate.config.mjs', 'package.json', '.gitignore', '.github/workflows/patchgate.yml'];
    const before = files.map(read);
    const again = await runHere(args, { cwd });
    expect(again.stdout).toContain('Next: npx patchgate proxy https://staging.example.com/api/v2 --record');
    expect(again.stdout.match(/left as it is/g)).toHaveLength(4);
    expect(files.map(read)).toEqual(before);
  });

  it('writes a config that holds, and no CI job unasked', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'node_modules'));
    const { stdout } = await runHere(['init'], { cwd });
    expect(stdout).toContain('no package.json here');
    expect(existsSync(join(cwd, '.github'))).toBe(false);
    const text = readFileSync(join(cwd, 'patchgate.config.mjs'), 'utf8');
    // With all that is a comment at first.
    writeFileSync(join(cwd, 'patchgate.config.mjs'), text.replace(/^ {2}\/\/ (\w+: )/gm, '  $1'));
    const config = await runHere(['config'], { cwd });
    expect(config.stdout).toContain('protect: Production (patchgate.config.mjs)');
  });
});
