import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { gateOf } from '../src/app/compose-gate.ts';
import { PatchgateError } from '../src/errors.ts';
import { DEFAULT_CONTRACT } from '../src/settings/config.ts';
import { SETTINGS } from '../src/settings/settings.ts';
import { resolve } from './support/config.ts';
import { configSchema } from './support/config-schema.ts';

const FILE = fileURLToPath(new URL('../schemas/config/patchgate.config.schema.json', import.meta.url));

const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(configSchema());

/** Whether the product takes it: as settings, and with the names of rules in it. */
async function isTaken(file: unknown): Promise<boolean> {
  try {
    const { config } = await resolve({ file });
    await gateOf({ ...config, contract: DEFAULT_CONTRACT, target: undefined }, { lazy: true });
    return true;
  } catch (error) {
    if (error instanceof PatchgateError && error.code === 'bad-config') return false;
    throw error;
  }
}

describe('the JSON Schema of the config file', () => {
  it('is what the table of settings says', async () => {
    // Written anew by: npx vitest run test/config-schema.test.ts -u
    await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(FILE);
  });

  it('takes the default of every setting', () => {
    const { properties } = configSchema() as { properties: Record<string, { default?: unknown }> };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(SETTINGS)));
    for (const [name, { default: fallback }] of Object.entries(properties))
      if (fallback !== undefined) expect([name, validate({ [name]: fallback })]).toEqual([name, true]);
  });

  const rule = 'schema.unknown-field';
  const _reason = 'sent by the old client';
  it.each<[unknown]>([
    [{}],
    [{ $schema: './node_modules/patchgate/schemas/config/patchgate.config.schema.json' }],
    [{ recording: 'checkout', contract: '../contract', port: 0, failUnused: true }],
    [
      {
        timeout: '250ms',
      },
    ],
    [{ fault: 'PATCH status=503 count=2; reset; latency=50ms..2s' }],
    [{ fault: [{ method: 'PATCH', operation: 'updateProject', status: 429, retryAfter: 2, count: 1 }] }],
    [{ fault: [{ path: '/a/**', latency: 0, rate: 0.5 }] }],
    [{ fault: [{ status: 503, headers: { 'X-A': 'b', 'X-B': ['c', 'd'] }, body: { a: [null] } }] }],
    [{ record: true, guard: true }],
    [{ guard: false, state: false, record: 'once', log: 'json' }],
    [{ guard: 'strict', state: '', basePath: '/' }],
    [{ basePath: '/api/v2' }],
    [{ allowDelete: 'e2e-*,tmp', redact: ['ssn'] }],
    [{ ignorePointers: ['', '/a~1b/*'], redact: ['pin', '!signature', '/users/*/email'] }],
    [{ redactPatterns: ['\\d{3}'] }],
    [{ overrides: [{ rules: { [rule]: 'off', 'schema.min-length': 'warn', 'request.json': 'error' } }] }],
    [{ overrides: [{ files: ['legacy/+(a|b)/**'], rules: { [rule]: 'off' } }] }],
    [{ overrides: [{ paths: '/accounts/1/projects/*', rules: { [rule]: 'warn' } }] }],
  ])('takes, as the product does, %j', async (file) => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    expect(await isTaken(file)).toBe(true);
  });

  it.each<[unknown]>([
    [[]],
    [null],
    [{ recrding: 'x' }],
    [{ 'base-path': '/x' }],
    [JSON.parse('{"__proto__": {}}')],
    [{ recording: '' }],
    [{ recording: null }],
    [{ target: 'staging.example.com' }],
    [{ target: 'ftp://staging.example.com' }],
    [{ port: '4010' }],
    [{ port: 65_536 }],
    [{ port: 80.5 }],
    [{ failUnused: 'true' }],
    [{ failUnused: 1 }],
    [{ timeout: '30 sec' }],
    [{ timeout: true }],
    [{ timeout: 5 }],
    [{ timeout: '5' }],
    [{ fault: [{ latency: 5 }] }],
    [{ fault: [{ latency: '5' }] }],
    [{ timeout: -1 }],
    [{ redact: ['/a~2'] }],
    [{ redact: '!' }],
    [{ validation: 'enforced' }],
    [{ validation: true }],
    [{ record: false }],
    [{ state: true }],
    [{ basePath: 'api/v2' }],
    [{ redact: 5 }],
    [{ redact: ['a', 5] }],
    [{ ignorePointers: 'environments' }],
    [{ ignorePointers: ['/a', 'b'] }],
    [{ ignorePointers: ['/a~2'] }],
    [{ rules: { [rule]: 'off' } }],
    [{ overrides: [{ rules: [] }] }],
    [{ overrides: [{ rules: null }] }],
    [{ overrides: [{ rules: { [rule]: 'fatal' } }] }],
    [{ overrides: [{ rules: { 'schema.unknown-fild': 'off' } }] }],
    [{ overrides: [{ rules: { 'request.json': 'off' } }] }],
    [{ fault: [{ latency: '2s..' }] }],
    [{ fault: [{ latency: '50..200ms' }] }],
    [{ fault: {} }],
    [{ fault: [5] }],
    [{ fault: 'PATCH' }],
    [{ fault: [{ method: 'PATCH' }] }],
    [{ fault: [{ stauts: 503 }] }],
    [{ fault: [{ status: 99 }] }],
    [{ fault: [{ reset: false }] }],
    [{ fault: [{ method: 'patch', reset: true }] }],
    [{ fault: [{ path: 'a', reset: true }] }],
    [{ fault: [{ truncate: '100%' }] }],
    [{ fault: [{ trickle: '0B/s' }] }],
    [{ fault: [{ reset: true, rate: 2 }] }],
    [{ fault: [{ reset: true, count: 0 }] }],
    [{ fault: [{ reset: true, body: 'x' }] }],
    [{ overrides: {} }],
    [{ overrides: [{ files: 'x' }] }],
    [{ overrides: [{ files: 'x', rules: { [rule]: 'of' } }] }],
    [{ overrides: [{ files: 'x', rules: { 'schema.unknown-fild': 'off' } }] }],
    [{ overrides: [{ file: 'x', rules: {} }] }],
    [{ overrides: [{ files: '!x', rules: { [rule]: 'off' } }] }],
    [{ overrides: [{ files: 'x', rules: {} }] }],
    [{ overrides: [{ files: 'x'.repeat(1001), rules: { [rule]: 'off' } }] }],
    [{ overrides: [{ paths: '/accounts/+(1*)', rules: { [rule]: 'off' } }] }],
    [{ overrides: [{ paths: [], rules: { [rule]: 'off' } }] }],
    [{ customRules: [] }],
  ])('refuses, as the product does, %j', async (file) => {
    expect(validate(file)).toBe(false);
    expect(await isTaken(file)).toBe(false);
  });
});
