import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOutputs, joinOutputs, outputsOf, realPlace } from '../../../src/commands/check/outputs.ts';
import type { PatchgateError } from '../../../src/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const usage = (message: string, hint: string) =>
  expect.objectContaining({
    code: 'bad-usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  } satisfies Partial<Record<keyof PatchgateError, unknown>>);

describe('joinOutputs', () => {
  test.each<[given: string, joined: string]>([
    ['-f json', '--format=json'],
    ['-fjson', '--format=json'],
    ['-f=json', '--format=json'],
    ['--format json', '--format=json'],
    ['--format=json', '--format=json'],
    ['-f junit -o r.xml', '--format=junit=r.xml'],
    ['-f junit -or.xml', '--format=junit=r.xml'],
    ['-f junit -o=r.xml', '--format=junit=r.xml'],
    ['-f junit --output r.xml', '--format=junit=r.xml'],
    ['-f junit --output=r=1.xml', '--format=junit=r=1.xml'],
    ['-f junit=r.xml', '--format=junit=r.xml'],
    ['-o r.txt', '--format=text=r.txt'],
    ['-o r.json a.json -f json', 'a.json --format=json=r.json'],
    ['-o r.json -f json -- -x', '--format=json=r.json ./-x'],
    ['-o r.txt -f json -o r.json', '--format=text=r.txt --format=json=r.json'],
    ['-o r.txt -f json -f sarif', '--format=text=r.txt --format=json --format=sarif'],
    ['-o r.txt -f json=r.json', '--format=text=r.txt --format=json=r.json'],
    ['-f json a.json -o r.json', '--format=json=r.json a.json'],
    [
      '-f text -f junit -o r.xml -f sarif -o p.sarif',
      '--format=text --format=junit=r.xml --format=sarif=p.sarif',
    ],
    ['-f json -o -', '--format=json=-'],
    ['-o -', '--format=text=-'],
    ['-f json -- -o x - -- ./-y', '--format=json ./-o x - ./-- ./-y'],
    ['--fail-on warn --format-x -p 1', '--fail-on warn --format-x -p 1'],
  ])('check %s', (given, joined) => {
    expect(joinOutputs(['check', ...given.split(' ')])).toEqual(['check', ...joined.split(' ')]);
  });

  test('what other commands take stays as it is', () => {
    for (const args of [
      ['recordings', 'export', '-o', 'check'],
      ['proxy', 'check', '-f', 'x'],
      ['-f', 'x'],
    ])
      expect(joinOutputs(args)).toEqual(args);
  });

  test('the command may come after options', () => {
    expect(joinOutputs(['--config', 'x', 'check', '-o', 'y'])).toEqual([
      ...['--config', 'x', 'check', '--format=text=y'],
    ]);
  });

  test.each([
    ['-f', 'formats: text, json'],
    ['-f -o x', 'formats: text, json'],
    ['--format=', 'formats: text, json'],
    ['-o', 'give a file'],
    ['-o -f', 'give a file'],
    ['--output=', 'give a file'],
  ])('check %s needs a value', (given, hint) => {
    expect(() => joinOutputs(['check', ...given.split(' ')])).toThrow(usage('needs a value', hint));
  });

  test.each(['-f json -o a -o b', '-f json=a -o b', '-o a -o b'])('check %s: no report for b', (given) => {
    expect(() => joinOutputs(['check', ...given.split(' ')])).toThrow(usage('-o b has no report', '-f'));
  });
});

describe('outputsOf', () => {
  test('none given: text for standard output', () => {
    expect(outputsOf([], '/')).toEqual([{ format: 'text' }]);
  });

  test('a format goes to its file, without one or with - to standard output', () => {
    expect(outputsOf(['json', 'junit=a=b.xml', 'sarif=x/g.json'], '/')).toEqual([
      { format: 'json' },
      { format: 'junit', file: 'a=b.xml' },
      { format: 'sarif', file: 'x/g.json' },
    ]);
    expect(outputsOf(['sarif=-'], '/')).toEqual([{ format: 'sarif' }]);
  });

  test.each([
    [['jsn'], 'invalid value "jsn" for --format', 'did you mean json?'],
    [['html'], 'invalid value "html" for --format', 'formats: text, json, junit, sarif, github'],
    [['json='], 'needs a value', 'file'],
    [['text', 'json'], 'text and json both go to standard output', '-o'],
    [['text', 'json=-'], 'text and json both go to standard output', '-o'],
    [['text=a', 'json=x/../a'], 'x/../a is given for two reports', '-o'],
  ])('%j: bad usage', (given, message, hint) => {
    expect(() => outputsOf(given, '/')).toThrow(usage(message, hint));
  });
});

test('a report does not take the place of an input', () => {
  const outputs = outputsOf(['json=b/a.json'], '/');
  expect(() => checkOutputs(outputs, ['x', './b/a.json'], '/')).toThrow(
    usage('b/a.json is read by this run', 'outside'),
  );
  expect(() => checkOutputs(outputs, ['a.json', '-'], '/')).not.toThrow();
});

test('nor does one by way of a link, or two reports that of one', () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'body.json'), '{}');
  symlinkSync('body.json', join(cwd, 'link.json'));
  symlinkSync('.', join(cwd, 'here'));
  for (const file of ['link.json', 'here/body.json'])
    expect(() => checkOutputs(outputsOf([`json=${file}`], cwd), ['body.json'], cwd)).toThrow(
      usage(`${file} is read by this run`, 'outside'),
    );
  expect(() => checkOutputs(outputsOf(['json=body.json'], cwd), ['link.json'], cwd)).toThrow(
    usage('body.json is read by this run', 'outside'),
  );
  for (const [first, second] of [
    ['body.json', 'link.json'],
    ['new.json', 'here/new.json'],
  ])
    expect(() => outputsOf([`json=${first}`, `sarif=${second}`], cwd)).toThrow(
      usage(`${second} is given for two reports`, '-o'),
    );
});

test('leads through links, as far as there is something', () => {
  const folder = realPlace(temporaryFolder());
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b/file'), '');
  symlinkSync('b', join(folder, 'a'));
  expect(realPlace(join(folder, 'a/file'))).toBe(join(folder, 'b/file'));
  expect(realPlace(join(folder, 'a/new/file'))).toBe(join(folder, 'b/new/file'));
  expect(realPlace('/')).toBe('/');
});
