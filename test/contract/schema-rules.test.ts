import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { furtherSchemaRules, SCHEMA_RULES, schemaRule } from '../../src/contract/schema-rules.ts';

const names = [...Object.keys(SCHEMA_RULES), ...furtherSchemaRules()];

it('each keyword of Ajv that can fail has a rule of its name', () => {
  // These only gather the errors of what stands in them; `dependencies`, `$recursiveRef` and the like are of older drafts.
  const silent =
    /^(\$|id$|definitions|if|then|else|allOf|properties|patternProperties|prefixItems|propertyNames|dependentSchemas|dependencies|additionalItems|(min|max)Contains|next|(content|un)?[mM]edia|contentEncoding|contentSchema|title|description|default|deprecated|readOnly|writeOnly|examples|nullable|discriminator)/;
  const keywords = Object.keys(new Ajv2020().RULES.all).filter((keyword) => !silent.test(keyword));
  expect(keywords).toContain('minLength');
  for (const keyword of keywords) expect(names).toContain(schemaRule(keyword).name);
});

it('has a severity and a basis of its own where design section 4 says so', () => {
  expect(schemaRule('observed')).toMatchObject({
    name: 'schema.observed',
    severity: 'warn',
    basis: 'observed',
  });
  expect(schemaRule('minLength')).toMatchObject({
    name: 'schema.min-length',
    severity: 'error',
    basis: 'stated',
    stage: 'contract',
    status: 422,
  });
  expect(schemaRule('false schema').name).toBe('schema.false-schema');
  expect(new Set(names).size).toBe(names.length);
});
