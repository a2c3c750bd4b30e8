import { expect, it } from 'vitest';
import { variablesOf } from '../../../src/commands/exec/variables.ts';
import { refusal } from '../../support/errors.ts';

const ORIGIN = 'http://127.0.0.1:40123';

it('are the origin, and what is asked for behind it', () => {
  expect(variablesOf([], ORIGIN)).toEqual({ PATCHGATE_URL: ORIGIN });
  expect(variablesOf(['BASE_URL=/api/v2', 'api.url', 'X=/?a=b'], ORIGIN)).toEqual({
    PATCHGATE_URL: ORIGIN,
    BASE_URL: `${ORIGIN}/api/v2`,
    'api.url': ORIGIN,
    X: `${ORIGIN}/?a=b`,
  });
  expect(variablesOf(['PATCHGATE_URL=/api/v2'], ORIGIN)).toEqual({ PATCHGATE_URL: `${ORIGIN}/api/v2` });
});

it.each([
  [['=/api/v2'], '"" is no name of a variable'],
  [['a b=/x'], '"a b" is no name of a variable'],
  [['BASE_URL=api/v2'], 'what BASE_URL gets behind the URL begins with /, not with "api/v2"'],
  [['A=/1', 'A=/2'], 'A is given more than once'],
])('%s', (given, why) => {
  expect(refusal('bad-usage', () => variablesOf(given, ORIGIN))).toContain(why);
});
