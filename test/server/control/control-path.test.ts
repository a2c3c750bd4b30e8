import { describe, expect, it } from 'vitest';
import { isControlPath } from '../../../src/server/control/control-path.ts';

describe("the control API's is", () => {
  it.each([
    '/__patchgate',
    '/__patchgate/',
    '/__patchgate/health',
    '/__patchgate?x',
    '/__patchgate/../api/v2/x',
    'http://evil.example/__patchgate/health',
  ])('%s', (url) => expect(isControlPath(url)).toBe(true));

  it.each([
    '/__PATCHGATE/health',
    '/%5f_patchgate/health',
    '/%5F%5Fp%61tchgate/health',
    '/%255f_patchgate/health',
    '//__patchgate/health',
    '/./__patchgate/health',
    '/x/../__patchgate/health',
    '/%2e/__patchgate/health',
    '/__patchgate;x/health',
    '/;x/__patchgate/health',
    '/__patchgate%2fhealth',
    '/__patchgate\\health',
    '/__patchgate./health',
    '/__patchgate#',
    'http://evil.example//__patchgate/health',
  ])('%s, which a loose server could take for it', (url) => expect(isControlPath(url)).toBe(true));
});

describe('not its own is', () => {
  it.each([
    '/',
    '/api/v2/accounts/current/projects/42',
    '/api/v2/__patchgate/health',
    '/__patchgates',
    '/__patchgate-x/health',
    '/_patchgate/health',
    '/x?/__patchgate/health',
    '/x?next=%2f__patchgate%2fhealth',
    '/caf%C3%A9',
    '*',
  ])('%s', (url) => expect(isControlPath(url)).toBe(false));
});
