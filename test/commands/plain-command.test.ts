import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import yargs from 'yargs';
import {
  FAKING,
  flagsOf,
  PROXYING,
  REPLAYING_ALONE,
  spellOut,
  withSettings,
} from '../../src/commands/options.ts';
import { plainCommand } from '../../src/commands/plain-command.ts';
import { flagOf, SETTINGS, type SettingName } from '../../src/settings/settings.ts';

const plain = (line: string) => plainCommand(line.split(' '));

describe('a command line', () => {
  it.each<[string, object]>([
    ['replay', {}],
    ['replay --recording checkout -p 0', { recording: 'checkout', port: '0' }],
    ['proxy https://a.example --record', { target: 'https://a.example', record: 'all' }],
    ['proxy --config=a.json --no-state http://x', { target: 'http://x', config: 'a.json', state: '' }],
    ['fake --redact a --redact b', { redact: ['a', 'b'] }],
  ])('%s is plain', (line, flags) => {
    expect(plain(line)).toEqual({ kind: line.split(' ')[0], flags });
  });

  it.each([
    ...[
      'check x',
      'help',
      'toString',
      '--help',
      'replay --help',
      'replay -h',
      'replay x',
      'proxy http://x http://y',
      'proxy 1',
    ],
    ...['replay --recroding x', 'replay --recording', 'proxy --record checkout', 'replay -p0', 'replay --'],
    ...['proxy --read-state true', 'proxy --read-state=no', 'replay --recording "x"'],
  ])('%s is left to yargs', (line) => {
    expect(plain(line)).toBeUndefined();
  });
});

it('is read as yargs reads it', { tags: 'slow' }, () => {
  const commands = { proxy: PROXYING, replay: REPLAYING_ALONE, fake: FAKING };
  const flags = fc.constantFrom(...Object.keys(SETTINGS).map((name) => `--${flagOf(name as SettingName)}`));
  const word = fc.constantFrom(
    'x',
    'http://x',
    'all',
    'off',
    '',
    '1',
    '-1',
    'a=b',
    '"q"',
    "'",
    'true',
    '-p',
    '-x',
    '--',
    '-',
    'a.b',
  );
  const token = fc.oneof(
    ...[flags, word, fc.tuple(flags, word).map((parts) => parts.join('='))],
    flags.map((flag) => flag.replace('--', '--no-')),
  );
  fc.assert(
    fc.property(
      fc.constantFrom('proxy', 'replay', 'fake'),
      fc.array(token, { maxLength: 5 }),
      (kind, rest) => {
        const read = plainCommand([kind, ...rest]);
        if (!read) return;
        let argv: Record<string, unknown> | undefined;
        yargs()
          .command(
            kind === 'proxy' ? 'proxy [target]' : kind,
            '',
            (y) => withSettings(y, commands[kind]),
            (given) => {
              argv = given;
            },
          )
          .strict()
          .exitProcess(false)
          .fail((message, error) => {
            throw error ?? new Error(message);
          })
          .parse(spellOut([kind, ...rest]));
        expect(read.flags).toEqual(flagsOf(argv ?? {}));
      },
    ),
    { numRuns: 2000 },
  );
});
