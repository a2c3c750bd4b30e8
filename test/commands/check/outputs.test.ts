import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOutputs, outputsOf, realPlace } from '../../../src/commands/check/outputs.ts';
import type { PatchgateError } from '../../../src/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const usage = (message: string, hint: string) =>
  expect.objectContaining({
    code: 'bad-usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  } satisfies Partial<Record<keyof PatchgateError, unknown>>);

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
    [['json='], '-f json= needs a file', 'junit=report.xml'],
    [['text', 'json'], 'text and json both go to standard output', '-f'],
    [['text', 'json=-'], 'text and json both go to standard output', '-f'],
    [['text=a', 'json=x/../a'], 'x/../a is given for two reports', '-f'],
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
      usage(`${second} is given for two reports`, '-f'),
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
