import { flagContract } from './contract-folder.ts';

/** Files of a contract of another service that says what the shipped one does not: bounds, patterns, branches, a value in itself. */
export const ORDERS = {
  'contract.json': flagContract({
    path: '/orders/{key}',
    parameters: { key: { type: 'string' } },
    record: { kind: 'order', id: 'key' },
    canary: { body: {}, rule: 'schema.required', pointer: '/code' },
  }),
  'put-flag.json': {
    $id: 'put-flag.json',
    type: 'object',
    required: ['code', 'amount', 'payment'],
    properties: {
      code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$', examples: ['AB-123'] },
      note: { type: ['string', 'null'], minLength: 3, maxLength: 8 },
      amount: { type: 'number', minimum: 1, exclusiveMaximum: 100 },
      packs: { type: 'integer', multipleOf: 6, minimum: 7, maximum: 60 },
      tags: {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        items: { enum: ['a', 'b', 'c', 7] },
      },
      version: { const: 2 },
      payment: {
        type: 'object',
        required: ['kind'],
        properties: {
          kind: { enum: ['card', 'invoice'] },
          card: { type: 'string' },
          due: { type: 'integer' },
        },
        if: { properties: { kind: { const: 'card' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['card'] },
        else: { required: ['due'] },
        additionalProperties: false,
      },
      buyer: { anyOf: [{ $ref: '#/$defs/person' }, { type: 'string', minLength: 1 }] },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      mail: { type: 'string', format: 'email' },
      placed: { type: ['string', 'null'], format: 'date-time' },
      shelf: { type: 'integer', format: 'int32' },
      colour: { type: 'string', pattern: '^[a-z]+-[0-9]+$', example: 'red-7', 'x-order': 1 },
      size: { prefixItems: [{ type: 'integer' }, { enum: ['cm', 'in'] }], items: false, minItems: 2 },
      agreed: true,
    },
    additionalProperties: false,
    $defs: {
      person: {
        type: 'object',
        required: ['name'],
        furtherFields: 'none',
        properties: {
          name: { type: 'string', minLength: 1 },
          friends: { type: 'array', items: { $ref: '#/$defs/person' } },
        },
      },
    },
  },
};
