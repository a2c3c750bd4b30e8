import { expect, it } from 'vitest';
import { pastProxies, variablesOf } from '../../../src/commands/exec/variables.ts';
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

it.each<[NodeJS.ProcessEnv, Record<string, string>]>([
  [{}, {}],
  [{ http_proxy: '', no_proxy: 'a' }, {}],
  [{ HTTP_PROXY: 'http://p:1' }, { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' }],
  [
    { https_proxy: 'http://p:1', NO_PROXY: 'localhost' },
    { no_proxy: 'localhost,127.0.0.1', NO_PROXY: 'localhost,127.0.0.1' },
  ],
  [
    { ALL_PROXY: 'http://p:1', no_proxy: '*', NO_PROXY: 'b' },
    { no_proxy: '*', NO_PROXY: 'b,127.0.0.1' },
  ],
])('lead past the proxies that there are: %j', (env, variables) => {
  expect(pastProxies(env, ORIGIN)).toEqual(variables);
});

it('name an address of IPv6 without its brackets', () => {
  expect(pastProxies({ http_proxy: 'http://p:1' }, 'http://[::1]:4010').no_proxy).toBe('::1');
});
