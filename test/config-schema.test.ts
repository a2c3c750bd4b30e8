import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { gateOf } from '../src/app/gate.ts';
import { furtherSchemaRules } from '../src/contract/check-schema.ts';
import { PatchgateError } from '../src/errors.ts';
import { CATALOGUE } from '../src/gate/catalogue.ts';
import { DEFAULT_CONTRACT } from '../src/settings/config.ts';
import { configSchema as schemaOfSettings } from '../src/settings/schema.ts';
import { SETTINGS } from '../src/settings/settings.ts';
import { resolve } from './support/config.ts';

const FILE = fileURLToPath(new URL('../schemas/config/patchgate.config.schema.json', import.meta.url));

type Schema = Record<string, unknown>;

/** Of a body that breaks one of these there is nothing to judge. */
const ALWAYS_ERRORS = ['request.json', 'request.too-large', 'request.content-encoding'];
const SEVERITIES = ['error', 'warn', 'off'];

const DEFINITIONS: Record<string, Schema> = {
  severities: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([
      ...CATALOGUE.map(({ name, severity, says }) => [
        name,
        {
          description: says,
          default: severity,
          ...(ALWAYS_ERRORS.includes(name) ? { const: 'error' } : { enum: SEVERITIES }),
        },
      ]),
      ...furtherSchemaRules().map((name) => [name, { $ref: '#/definitions/severity' }]),
    ]),
  },
};

/** Draft-07: the one that every editor reads in full. */
function configSchema(): Schema {
  const text = JSON.stringify(schemaOfSettings(DEFINITIONS), (keyword, value) =>
    // It says something to the product's own messages alone.
    keyword === 'takes' ? undefined : value,
  );
  return JSON.parse(text) as Schema;
}

const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(configSchema());

/** Whether the product takes it: as settings, and with the names of rules in it. */
async function isTaken(file: unknown): Promise<boolean> {
  try {
    const { config } = await resolve({ file });
    await gateOf({ ...config, contract: DEFAULT_CONTRACT, target: undefined }, true);
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
  it.each<[unknown]>([
    [{ $schema: './node_modules/patchgate/schemas/config/patchgate.config.schema.json' }],
    [{ recording: 'checkout', contract: '../contract', port: 0, failUnused: true, timeout: '250ms' }],
    [{ fault: 'PATCH status=503 count=2; reset' }],
    [{ record: true, guard: true, log: 'json' }],
    [{ guard: false, state: false, record: 'once' }],
    [
      {
        allowDelete: 'e2e-*,tmp',
        ignorePointers: ['/a~1b/*'],
        redact: ['pin', '!signature', '/users/*/email'],
      },
    ],
    [{ overrides: [{ rules: { [rule]: 'off', 'schema.min-length': 'warn', 'request.json': 'error' } }] }],
    [
      {
        overrides: [{ paths: '/accounts/1/projects/*', rules: { [rule]: 'off' } }],
      },
    ],
  ])('takes, as the product does, %j', async (file) => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    expect(await isTaken(file)).toBe(true);
  });

  it.each<[unknown]>([
    [[]],
    [{ recrding: 'x' }],
    [{ recording: '' }],
    [{ target: 'ftp://staging.example.com' }],
    [{ port: '4010' }],
    [{ port: 65_536 }],
    [{ failUnused: 1 }],
    [{ timeout: 5 }],
    [{ redact: ['/a~2'] }],
    [{ validation: 'enforced' }],
    [{ record: false }],
    [{ state: true }],
    [{ ignorePointers: ['/a', 'b'] }],
    [{ fault: [5] }],
    [{ overrides: [{ rules: null }] }],
    [{ overrides: [{ rules: { [rule]: 'fatal' } }] }],
    [{ overrides: [{ rules: { 'schema.unknown-fild': 'off' } }] }],
    [{ overrides: [{ rules: { 'request.json': 'off' } }] }],
    [{ overrides: [{ paths: '!x', rules: { [rule]: 'off' } }] }],
    [{ overrides: [{ paths: '/accounts/+(1*)', rules: { [rule]: 'off' } }] }],
    [{ customRules: [] }],
  ])('refuses, as the product does, %j', async (file) => {
    expect(validate(file)).toBe(false);
    expect(await isTaken(file)).toBe(false);
  });
});
