import { expect, it } from 'vitest';
import { mayNameMethod } from '../../src/contract/read-body.ts';

const names = (body: string | 'too-large', headers = ['content-type', 'application/json']) =>
  mayNameMethod(body === 'too-large' ? body : Buffer.from(body), headers, 1000);

it.each(['{"_method":"PATCH"}', '{"a":1,"_method":" patch"}', '{"\\u005fmethod":"Patch"}'])(
  'finds it in %s',
  (body) => {
    expect(names(body)).toBe(true);
  },
);

it.each(['{"_method":"PUT"}', '{"_method":["PATCH"]}', '{"a":{"_method":"PATCH"}}', '[]', '1', '{}', ''])(
  'finds none in %s',
  (body) => {
    expect(names(body)).toBe(false);
  },
);

it.each(['{', '\uFEFF{}', '{"_method":"PUT","_method":"PUT"}', `"${'x'.repeat(1000)}"`])(
  'takes %s, which it cannot read, for one that may',
  (body) => {
    expect(names(body)).toBe(true);
  },
);

it('takes what is too large or coded in an unknown way for one that may', () => {
  expect(names('too-large')).toBe(true);
  expect(names('{}', ['content-type', 'application/json', 'content-encoding', 'zstd'])).toBe(true);
});
