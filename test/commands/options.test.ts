import { describe, expect, it } from 'vitest';
import yargs from 'yargs';
import { flagsOf, spellOut, withSettings } from '../../src/commands/options.ts';
import { flagOf, SETTINGS, type SettingName, variableOf } from '../../src/settings/settings.ts';

const spelt = (line: string) => spellOut(line.split(' ')).join(' ');

describe('a flag whose value was left out', () => {
  it.each([
    ['proxy --record', 'proxy --record=all'],
    ['proxy --record https://staging.example.com', 'proxy --record=all https://staging.example.com'],
    ['proxy https://staging.example.com --record', 'proxy https://staging.example.com --record=all'],
    ['proxy --record once https://staging.example.com', 'proxy --record=once https://staging.example.com'],
    ['proxy --record none', 'proxy --record=none'],
    ['proxy --record --port 1', 'proxy --record=all --port 1'],
    ['proxy --record=once x', 'proxy --record=once x'],
    ['proxy --record=nonsense x', 'proxy --record=nonsense x'],
    // Only its listed words, in their letter case.
    ['proxy --record All', 'proxy --record=all All'],
    ['replay --guard', 'replay --guard=on'],
    ['replay --guard off --port 1', 'replay --guard=off --port 1'],
    ['check --guard body.json', 'check --guard=on body.json'],
    ['proxy --no-guard x', 'proxy --guard=off x'],
    ['proxy --guard strict x', 'proxy --guard=strict x'],
    ['proxy --guard stricter x', 'proxy --guard=on stricter x'],
    ['proxy --no-state x', 'proxy --state= x'],
    ['proxy --state x', 'proxy --state x'],
  ])('%s', (line, expected) => {
    expect(spelt(line)).toBe(expected);
  });

  it('is let alone elsewhere', () => {
    for (const line of [
      'proxy x --recording all',
      'proxy --log json x',
      '--recording-x --records',
      'check -',
    ])
      expect(spelt(line)).toBe(line);
    expect(spellOut([])).toEqual([]);
  });

  it('is on or off, and no other word is taken for off', () => {
    expect(spelt('proxy --read-state x')).toBe('proxy --read-state x');
    expect(spelt('proxy --read-state=1 --fail-unused=false')).toBe(
      'proxy --read-state=true --fail-unused=false',
    );
    for (const word of ['yes', 'on', '', 'TRUE'])
      expect(() => spellOut([`--fail-unused=${word}`])).toThrow('--fail-unused');
  });

  it("is another command's behind --", () => {
    expect(spelt('exec --record -- npm test --record --no-guard')).toBe(
      'exec --record=all -- npm test --record --no-guard',
    );
  });

  it('is found for every setting that has such a meaning', () => {
    const bare = Object.entries(SETTINGS).filter(([, setting]) => 'bare' in setting);
    expect(bare.length).toBeGreaterThan(0);
    for (const [name, setting] of bare)
      expect(spellOut([`--${flagOf(name)}`])).toEqual([
        `--${flagOf(name)}=${'bare' in setting && setting.bare}`,
      ]);
  });
});

describe('the flags of a command', () => {
  const names = Object.keys(SETTINGS) as SettingName[];
  const parse = async (...args: string[]) => {
    const parser = withSettings(yargs(spellOut(args)), names)
      .strict()
      .exitProcess(false)
      .fail((message, error) => {
        throw error ?? new Error(message);
      });
    return flagsOf(await parser.parseAsync());
  };

  it('are the settings that were given, and no other', async () => {
    expect(await parse()).toEqual({});
    expect(
      await parse('--timeout', '5s', '--record', '--fail-unused', '-p', '0', '--config=a.json', '--no-guard'),
    ).toEqual({
      timeout: '5s',
      record: 'all',
      failUnused: true,
      port: '0',
      config: 'a.json',
      guard: 'off',
    });
    expect(await parse('--fail-unused=false')).toEqual({ failUnused: false });
    expect(await parse('--no-state')).toEqual({ state: '' });
    expect(await parse('--state', 'held.json', '--guard', 'strict', '--read-state')).toEqual({
      state: 'held.json',
      guard: 'strict',
      readState: true,
    });
  });

  it('keep texts as they were typed', async () => {
    expect(await parse('--recording', '007', '--control-token', '1e3', '--host', '0')).toEqual({
      recording: '007',
      controlToken: '1e3',
      host: '0',
    });
  });

  it('may have another name, and come again', async () => {
    expect(await parse('--fault', 'GET reset', '--fault', 'status=503', '--fault=latency=1s')).toEqual({
      fault: ['GET reset', 'status=503', 'latency=1s'],
    });
  });

  it('need their value', async () => {
    await expect(parse('--recording')).rejects.toThrow(/recording/);
    await expect(parse('--port', '--host', 'a')).rejects.toThrow(/port/);
  });

  it('that are unknown are refused', async () => {
    await expect(parse('--recrod')).rejects.toThrow(/recrod/);
  });

  it('and variables are named after the setting', () => {
    expect(flagOf('strictSequence')).toBe('strict-sequence');
    expect(variableOf('strictSequence')).toBe('PATCHGATE_STRICT_SEQUENCE');
    expect(variableOf('port')).toBe('PATCHGATE_PORT');
  });
});
