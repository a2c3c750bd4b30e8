/** What a newcomer types first is nearly right: the program says what was meant. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The only recording is `checkout`. */
function folder(): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'recordings/checkout/a'), { recursive: true });
  return cwd;
}

const words = (line: string) => line.split(' ');

describe('a word in the place of an option', () => {
  it.each([
    ['replay checkout', '--recording checkout'],
    ['proxy http://127.0.0.1:9 checkout', '--recording checkout'],
    ['proxy http://127.0.0.1:9 8080', '--port 8080'],
    ['proxy http://127.0.0.1:9 --record checkout', '--record --recording checkout'],
    ['proxy --record checkout http://127.0.0.1:9', '--record --recording checkout'],
    ['proxy --record all http://127.0.0.1:9 checkout', '--recording checkout'],
    ['proxy --record --port 0 http://127.0.0.1:9 checkout', '--recording checkout'],
    ['proxy --record checkout', '--record --recording checkout'],
    ['proxy --guard srict', '--guard=strict'],
    ['fake records.json', '--seed records.json'],
    ['exec --record checkout -- true', '--record --recording checkout'],
    ['exec --record checkout', '--record --recording checkout'],
    ['exec --record onec -- true', '--record=once'],
    ['exec checkout -- true', '--recording checkout'],
    ['exec http://127.0.0.1:9 -- true', '--target http://127.0.0.1:9'],
    ['replay record', '--recording record'],
    ['version', '--version'],
  ])('%s', async (line, meant) => {
    const { code, stderr } = await runHere(words(line), { cwd: folder() });
    expect(stderr).toContain(`\n  did you mean ${meant}?\n`);
    expect(code).toBe(2);
  });

  it.each([
    ['exec --record=checkout -- true', 'invalid value "checkout" for --record'],
    ['recordings prune checkout --yes no', 'unexpected argument "no"'],
  ])('%s', async (line, says) => {
    const { code, stderr } = await runHere(words(line), { cwd: folder() });
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });

  it('is said of a mode, too, that is the name of a recording', async () => {
    const { stderr } = await runHere(['exec', '--', 'true'], { env: { PATCHGATE_RECORD: 'checkout' } });
    expect(stderr).toContain('invalid value "checkout" for PATCHGATE_RECORD');
    expect(stderr).toContain('the name of a recording is the setting recording');
  });
});

describe('help', () => {
  it.each([
    ['help', '--help'],
    ['help proxy', 'proxy --help'],
    ['help recordings', 'recordings --help'],
    ['help recordings list', 'recordings list --help'],
    ['help exec', 'exec --help'],
  ])('%s is %s', async (line, same) => {
    const help = await runHere(words(line));
    const option = await runHere(words(same));
    expect(help.stdout).not.toBe('');
    expect(help).toEqual(option);
    expect(help.code).toBe(0);
  });

  it('of no command is an error', async () => {
    const { code, stderr } = await runHere(['help', 'prxy']);
    expect(stderr).toContain('unknown command "prxy"\n  did you mean "patchgate proxy"?');
    expect(code).toBe(2);
  });
});

describe('a recording that is not there', () => {
  it.each([
    'replay --recording chekout',
    'proxy http://127.0.0.1:9 --record none --recording chekout',
    'exec --recording chekout -- true',
    'exec --record none --recording chekout -- true',
    'recordings show chekout',
    'recordings export chekout',
    'recordings scrub chekout',
    'recordings prune chekout --path /a --yes',
  ])('stops %s', async (line) => {
    const { code, stderr } = await runHere(words(line), { cwd: folder() });
    expect(stderr).toContain(
      'there is no recording "chekout" in recordings/ (there are: checkout)\n  did you mean "checkout"?',
    );
    expect(code).toBe(2);
  });

  it('stops plan', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'body.json'), '{}');
    const { code, stderr } = await runHere(words('plan body.json --project 42 --recording chekout'), {
      cwd,
    });
    expect(stderr).toContain('did you mean "checkout"?');
    expect(code).toBe(2);
  });

  it('may be named by its folder, which is said', async () => {
    const { code, stderr } = await runHere(words('replay --recording recordings/checkout/'), {
      cwd: folder(),
    });
    expect(stderr).toContain('did you mean checkout?');
    expect(code).toBe(2);
  });
});
