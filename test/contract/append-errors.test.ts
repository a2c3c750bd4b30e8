import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { appendErrors } from '../../src/contract/append-errors.ts';
import { ErrorSites } from '../../src/contract/error-sites.ts';
import { addKeywords } from '../../src/contract/keywords.ts';
import { UrlBudget } from '../../src/contract/url-budget.ts';

const SCHEMA = {
  type: 'array',
  items: { $ref: '#/$defs/item' },
  $defs: {
    // Refers to what is compiled only after it.
    tree: { type: 'array', items: { $ref: '#/$defs/branch' } },
    branch: { type: 'array', items: { $ref: '#/$defs/tree' } },
    item: {
      type: 'object',
      furtherFields: 'none',
      properties: { a: { type: 'string', minLength: 2 }, tree: { $ref: '#/$defs/tree' } },
    },
  },
};
const BODY = [1, { a: 'x' }, { b: 1, c: 2 }, { a: 'xx' }, {}];

function compile(process?: (code: string) => string) {
  const ajv = new Ajv2020({
    allErrors: true,
    inlineRefs: false,
    logger: false,
    ...(process && { code: { process } }),
  });
  addKeywords(ajv, false, new ErrorSites(), new UrlBudget());
  return ajv.compile(SCHEMA);
}

it("finds every place in Ajv's code where errors are copied", () => {
  const codes: string[] = [];
  compile((code) => {
    codes.push(code);
    return code;
  });
  expect(codes.join('\n')).toContain('vErrors.concat');
  expect(codes.map(appendErrors).join('\n')).not.toContain('concat');
});

it('changes none of the errors, in the second call either', () => {
  const plain = compile();
  const changed = compile(appendErrors);
  for (const body of [BODY, BODY.slice(2), [], BODY]) {
    expect(changed(body)).toBe(plain(body));
    expect(JSON.stringify(changed.errors)).toBe(JSON.stringify(plain.errors));
  }
  expect(changed.errors).toHaveLength(4);
});
