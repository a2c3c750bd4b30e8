/** Values of fields, realistic and wild, for fast-check. */
import fc, { type Arbitrary } from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';

type Members = Record<string, JsonValue>;

/** Text of all planes, without lone surrogates. */
export const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'Checkout',
    'Bouton rouge',
    'Größe',
    '购物车',
    'سلة',
    '👩‍👩‍👧‍👦',
    '',
    ' ',
    '__proto__',
    '\u0000',
  ),
  fc.constantFrom('{"a":1}', '</script>', '\\u0041', '\u2028\ufeff\ufffe', "' OR 1=1", '../../x', '%00'),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);

/** Integers that every double holds. */
export const integer: Arbitrary<number> = fc.oneof(
  fc.nat(200),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, -1, 2147483647, -2147483648, 4294967296),
);
export const float: Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 1e21, 5e-324, 1.7976931348623157e308),
);

/** Not what reaches into prototypes. */
export const memberName = text.filter((name) => name !== '__proto__' && name !== 'prototype');
export const anything: Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(text, integer, float, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(memberName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
export const anyObject = fc.dictionary(memberName, anything, { maxKeys: 4, noNullPrototype: true });

export const url: Arbitrary<string> = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'HTTPS'] }),
  fc.webUrl({ authoritySettings: { withIPv4: true, withIPv6: true, withPort: true, withUserInfo: true } }),
  fc.constantFrom(
    'https://shop.example.com/',
    'https://shop.example.com/?utm_source=a&b[]=c#top',
    'https://bücher.example/größe?q=ä b#é',
    'https://例え.テスト/道',
    'https://xn--bcher-kva.example',
    'http://[2001:db8::1]:8080/%zz',
    'http://127.0.0.1:1/a//b/../c;d=e|f',
    'https://user:pass@example.com',
    'https:\\\\example.com\\x',
    ' https://example.com/*?x={y} ',
    'http://localhost',
    // These only warn.
    '',
    'ftp://example.com/',
    'about:blank',
    'javascript:void(0)',
    'app://checkout/step/2',
  ),
);

/** An object with any of these members, and now and then one that no schema lists. */
export function some(members: Record<string, Arbitrary<JsonValue>>): Arbitrary<Members> {
  const unlisted = fc.dictionary(
    text.map((name) => `zz${name}`),
    anything,
    { maxKeys: 1, noNullPrototype: true },
  );
  return fc
    .tuple(
      fc.record(members, { requiredKeys: [], noNullPrototype: true }),
      fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unlisted }),
    )
    .map(([listed, others]) => ({ ...listed, ...others }) as Members);
}

export const few = <T>(item: Arbitrary<T>) => fc.array(item, { maxLength: 4 });
/** A value that was seen, or another one, which only warns. */
export const seen = (...values: string[]) => fc.oneof(fc.constantFrom(...values), text);
