import { afterEach, expect, it, vi } from 'vitest';
import { proxyOf } from '../../src/upstreams/connector.ts';
import { refusal } from '../support/errors.ts';

afterEach(() => vi.unstubAllEnvs());

const proxyFor = (target: string, env: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries({ https_proxy: '', no_proxy: '', ...env }))
    vi.stubEnv(name, value);
  return proxyOf(new URL(target));
};

it.each([
  ['https://a.test', { HTTPS_PROXY: 'http://proxy:3128/' }, 'http://proxy:3128'],
  ['https://a.test', { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' }, 'http://a:1'],
  ['https://a.test', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'b.test,a.test' }, undefined],
  ['https://a.test', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
  ['http://a.test', { HTTPS_PROXY: 'http://a:1', http_proxy: 'http://a:1' }, undefined],
])('the proxy for %s in %j is %s', (target, env, origin) => {
  expect(proxyFor(target, env as unknown as Record<string, string>)?.origin).toBe(origin);
});

it.each([
  ['http://me:s3cret@proxy:3128', 'me:s3cret'],
  ['http://me@proxy:3128', 'me:'],
  ['https://me:p%40ss%2F%C3%BC@proxy', 'me:p@ss/ü'],
])('%s has credentials', (url, credentials) => {
  const { authorization = '', origin } = proxyFor('https://a.test', { HTTPS_PROXY: url }) ?? {};
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(credentials);
  expect(origin).not.toContain('me');
});

it.each(['socks5://me:s3cret@proxy:1080', 'http://me:s3/cret@proxy', 'http://me:1/s3cret@proxy'])(
  '%s is refused, and not shown',
  (url) => {
    const text = refusal('bad-usage', () => proxyFor('https://a.test', { HTTPS_PROXY: url }));
    expect(text).toContain('HTTPS_PROXY is no URL of an http or https proxy');
    expect(text).not.toMatch(/s3|cret/);
  },
);
