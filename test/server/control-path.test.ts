import { expect, it } from 'vitest';
import { isControlPath } from '../../src/server/control-path.ts';

it.each([
  ...[
    '/__patchgate',
    '/__patchgate/health',
    '/__patchgate?x',
    '/__patchgate/../api/v2/x',
    '/__PATCHGATE/health',
  ],
  ...['http://evil.example/__patchgate/health', '/%5f_patchgate/health', '/%5F%5Fp%61tchgate/health'],
  ...['/%255f_patchgate/health', '//__patchgate/health', '/./__patchgate/health', '/x/../__patchgate/health'],
  ...['/%2e/__patchgate/health', '/__patchgate;x/health', '/;x/__patchgate/health', '/__patchgate%2fhealth'],
  ...[
    '/__patchgate\\health',
    '/__patchgate./health',
    '/__patchgate#',
    'http://evil.example//__patchgate/health',
  ],
])("the control API's is %s, or a loose server could take it for that", (url) =>
  expect(isControlPath(url)).toBe(true),
);

it.each([
  ...['/', '/api/v2/accounts/current/projects/42', '/api/v2/__patchgate/health', '/__patchgates', '*'],
  ...[
    '/__patchgate-x/health',
    '/_patchgate/health',
    '/x?/__patchgate/health',
    '/x?next=%2f__patchgate%2fhealth',
  ],
])('it is not %s', (url) => expect(isControlPath(url)).toBe(false));
