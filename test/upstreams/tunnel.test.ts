import { expect, it } from 'vitest';
import { proxyOf as proxyOfUrl } from '../../src/upstreams/tunnel.ts';
import { refusal } from '../support/errors.ts';

const proxyOf = (target: string, env: Record<string, string> = {}) => proxyOfUrl(new URL(target), env);

it.each([
  ['https://a.test', { HTTPS_PROXY: 'http://proxy:3128/' }, 'http://proxy:3128'],
  ['https://a.test', { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' }, 'http://a:1'],
  ['https://a.test', { https_proxy: '', HTTPS_PROXY: 'http://b:1' }, 'http://b:1'],
  ['https://a.test', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
  ['http://a.test', { HTTPS_PROXY: 'http://a:1', http_proxy: 'http://a:1' }, undefined],
  ['https://a.test', {}, undefined],
])('the proxy for %s in %j is %s', (target, env, origin) => {
  expect(proxyOf(target, env as unknown as Record<string, string>)?.origin).toBe(origin);
});

it.each([
  ['http://me:s3cret@proxy:3128', 'me:s3cret'],
  ['http://me@proxy:3128', 'me:'],
  ['https://me:p%40ss%2F%C3%BC@proxy', 'me:p@ss/ü'],
])('%s has credentials', (url, credentials) => {
  const { authorization = '', origin } = proxyOf('https://a.test', { HTTPS_PROXY: url }) ?? {};
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(credentials);
  expect(origin).not.toContain('me');
});

it.each(['socks5://me:s3cret@proxy:1080', 'http://me:s3/cret@proxy', 'http://me:1/s3cret@proxy'])(
  '%s is refused, and not shown',
  (url) => {
    const text = refusal('bad-usage', () => proxyOf('https://a.test', { HTTPS_PROXY: url }));
    expect(text).toContain('HTTPS_PROXY is no URL of an http or https proxy');
    expect(text).not.toMatch(/s3|cret/);
  },
);

it.each([
  ['*', 'https://a.test', true],
  ['b.test, *', 'https://a.test', true],
  ['A.test', 'https://api.a.test', true],
  ['.a.test', 'https://a.test', true],
  ['*.a.test', 'https://api.a.test', true],
  ['a.test', 'https://aa.test', false],
  ['api.a.test', 'https://a.test', false],
  ['b.test c.test,a.test', 'https://a.test', true],
  ['a.test:443', 'https://a.test', true],
  ['a.test:8443', 'https://a.test', false],
  ['*:8443', 'https://a.test:8443', true],
  ['10.0.0.1', 'https://10.0.0.1', true],
  ['10.0.0.1:443', 'https://10.0.0.1:8443', false],
  ['0.0.0.1', 'https://10.0.0.1', false],
  ['::1', 'https://[::1]', true],
  ['[::1]:8443', 'https://[::1]', false],
  ['', 'https://a.test', false],
  [',.,', 'https://a.test', false],
])('NO_PROXY %j exempts %s: %s', (NO_PROXY, target, isExempt) => {
  expect(proxyOf(target, { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY }) === undefined).toBe(isExempt);
});
