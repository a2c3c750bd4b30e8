import { describe, expect, it } from 'vitest';
import { urlOf } from '../../src/commands/approvals.ts';
import type { Config } from '../../src/settings/config.ts';
import { refusal } from '../support/errors.ts';

describe('the URL of the gate', () => {
  const config = (members: Partial<Config> = {}) => ({ host: '127.0.0.1', port: 4010, ...members }) as Config;

  it.each<[string | undefined, Partial<Config>, string]>([
    [undefined, {}, 'http://127.0.0.1:4010'],
    [undefined, { host: '0.0.0.0', port: 4711 }, 'http://127.0.0.1:4711'],
    [undefined, { host: '::', port: 0, tlsCert: 'cert.pem' }, 'https://[::1]:4010'],
    ['https://gate.test/', {}, 'https://gate.test'],
    ['http://gate.test:4010/#token=x', {}, 'http://gate.test:4010'],
  ])('is of %j and %j: %s', (given, members, url) => {
    expect(urlOf(given, config(members))).toBe(url);
  });

  it.each([
    '4010',
    'gate.test:4010',
    'ftp://gate.test',
    '',
    'http://a:hush@gate.test',
    'gate.test/#token=hush',
    'http://gate.test/api/v2#hush',
  ])('is not %j, of which nothing is quoted', (given) => {
    const said = refusal('bad-usage', () => urlOf(given, config()));
    expect(said).toMatch(
      /is no URL of a gate \(give it as the gate says it at its start, without a path: --gate http:/,
    );
    expect(said).not.toContain('hush');
  });
});
