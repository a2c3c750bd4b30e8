import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNamedTokens } from '../../src/server/named-tokens.ts';
import { refusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENV = { TOKEN: 'of-the-environment', BEARER: 'Bearer s3cret-of-carol', EMPTY: '', BROKEN: 'x\n' };
const read = (...texts: string[]) => readNamedTokens(texts, ENV, '--approvers');
const BASIC = Buffer.from('bob:pass').toString('base64');

describe('a token', () => {
  const tokens = read(
    'alice=t0ken-of-alice',
    `bob=${BASIC}`,
    'the CI=env:TOKEN',
    'carol=env:BEARER',
    'alice=another=',
  );

  it.each<[string, string[], string | undefined]>([
    ['a bearer', ['Bearer t0ken-of-alice'], 'alice'],
    ['any case and scheme', ['tOKEN   t0ken-of-alice'], 'alice'],
    ['no scheme', ['t0ken-of-alice'], 'alice'],
    ['a second token', ['Bearer another='], 'alice'],
    ['basic credentials', [`Basic ${BASIC}`], 'bob'],
    ['a variable', ['Bearer of-the-environment'], 'the CI'],
    ['a variable that holds a scheme', ['Bearer s3cret-of-carol'], 'carol'],
    ['another token', ['Bearer t0ken-of-alicE'], undefined],
    ['the beginning of one', ['Bearer t0ken'], undefined],
    ['more than one', ['Bearer t0ken-of-alice, Bearer x'], undefined],
    ['a scheme alone', ['Bearer'], undefined],
    ['nothing in it', [''], undefined],
    ['no header', [], undefined],
    ['two headers', ['Bearer t0ken-of-alice', 'Bearer t0ken-of-alice'], undefined],
  ])('names with %s', (_what, values, name) => {
    const headers = ['Host', 'a', ...values.flatMap((value) => ['AuthorizatioN', value])];
    expect(tokens?.nameOf(headers)).toBe(name);
  });

  it('is a secret', () => {
    expect(tokens?.secrets).toEqual([
      't0ken-of-alice',
      BASIC,
      'of-the-environment',
      's3cret-of-carol',
      'another=',
    ]);
  });
});

it('may stand in a file, with a line feed at its end', () => {
  const file = join(temporaryFolder(), 'anna.txt');
  writeFileSync(file, 't0ken-of-anna\n');
  const tokens = read(`anna=file:${file}`, 'anna=t0ken', 'ben=env:TOKEN');
  expect(tokens?.nameOf(['Authorization', 'Bearer t0ken-of-anna'])).toBe('anna');
  expect(tokens?.names).toEqual(['anna', 'ben']);
});

it('is not there where none is given', () => {
  expect(read()).toBeUndefined();
});

it.each([
  [['a=env:NONE'], 'a takes the variable NONE, which is not set (set NONE)'],
  [['a=env:EMPTY'], 'a takes the variable EMPTY, which is not set'],
  [
    ['a=env:BROKEN'],
    'the token of a holds a character that no header can have (does it end in a line feed?)',
  ],
  [['a=file:/none'], 'the file /none with the token of a cannot be read: it does not exist'],
  [['a=t0ken', 'b=t0ken'], 'a and b have the same token'],
  [['a=env:BEARER', 'b=s3cret-of-carol'], 'a and b have the same token'],
  [['a=t0ken', 'a=t0ken'], 'a has the same token twice'],
])('%j is refused, without its token', (texts, why) => {
  const said = refusal('bad-usage', () => read(...texts));
  expect(said).toContain(`invalid value for --approvers: ${why}`);
  expect(said).not.toMatch(/t0ken|s3cret/);
});
