import { describe, expect, it } from 'vitest';
import { isHarmless, isSecretName, SecretNames } from '../../../src/recordings/redact/names.ts';

/** The lists of names in all places are in test/e2e/planted-secrets.test.ts. */
describe('isSecretName', () => {
  it.each([
    'newPassword',
    'NEW_PASSWORD',
    'new-password',
    'newpassword',
    'PassWord2',
    'envSDKKey',
    'APIKeys',
  ])('reads the words of %s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'passwordPolicy',
    'tokenCount',
    'nextPageToken',
    'hasPassword',
    'user[isSecret]',
    'keyboard',
    'key',
  ])('goes by the end of %s, and by what it says', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('takes any key, signature or credential of a header for a secret, but for those that are known', () => {
    const names = [
      'X-Tenant-Key',
      'X-Hub-Signature-256',
      'X-Sentry-Auth',
      'Idempotency-Key',
      'X-Key-Id',
      'Patchgate-Session',
    ];
    expect(names.filter((name) => isSecretName(name, true))).toEqual(names.slice(0, 3));
    expect(names.filter((name) => isSecretName(name.toLowerCase(), true))).toHaveLength(3);
    expect(isSecretName('tenantKey')).toBe(false);
  });
});

describe('SecretNames', () => {
  it('adds names and takes names back, each as a whole', () => {
    const names = new SecretNames(false, ['cherryStone'], ['signature', 'token']);
    const asked = [
      'cherry_stone',
      'user[cherryStone]',
      'cherryStones',
      'signature',
      'user.token',
      'newToken',
    ];
    expect(asked.map((name) => names.has(name))).toEqual([true, true, false, false, false, true]);
  });
});

describe('isHarmless', () => {
  it.each([
    ['password', null, true],
    ['password', true, true],
    ['password', '', true],
    ['token', 'false', true],
    ['tokens', 1532, true],
    ['token', 1532, false],
    ['tokens', 'x', false],
  ])('%s: %j', (name, value, expected) => {
    expect(isHarmless(name, value)).toBe(expected);
  });
});
