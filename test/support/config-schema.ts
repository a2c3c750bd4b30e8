/** The JSON Schema of a config file, as editors read it: that of the table of settings, with what the catalogue of rules knows. */

import { furtherSchemaRules } from '../../src/contract/check-schema.ts';
import { CATALOGUE } from '../../src/gate/catalogue.ts';
import { configSchema as schemaOfSettings } from '../../src/settings/schema.ts';

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
export function configSchema(): Schema {
  const text = JSON.stringify(schemaOfSettings(DEFINITIONS), (keyword, value) =>
    // It says something to the product's own messages alone.
    keyword === 'takes' ? undefined : value,
  );
  return JSON.parse(text) as Schema;
}
