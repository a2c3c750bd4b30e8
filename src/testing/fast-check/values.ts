import fc, { type Arbitrary } from 'fast-check';
import { hasHttpScheme, isUrl } from '../../http/url.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';

/** Text as people and programs write it, of all planes, without lone surrogates; what JSON holds, it holds exactly. */
export const text: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
  fc.constantFrom(
    ...[
      '',
      ' ',
      'Checkout',
      'Größe',
      'Bouton rouge',
      '购物车',
      'سلة',
      '👩‍👩‍👧‍👦',
      'e\u0301',
      '\u0000',
      '\u2028\ufeff',
    ],
    ...['__proto__', '{"a":1}', '</script>', '\\u0041', "' OR 1=1", '../../x', '%00', 'null', '0', 'true'],
  ),
  fc.string({ unit: 'grapheme-composite', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** Integers that every reader gets alike. */
export const integer: Arbitrary<number> = fc.oneof(
  fc.nat(200),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(
    ...[-1, 2147483647, -2147483648, 4294967296, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ),
);

/** @param min of a larger one, the digits that JSON shows are not the number itself */
export function float(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Arbitrary<number> {
  const least = Math.max(min, Number.MIN_SAFE_INTEGER);
  const most = Math.min(max, Number.MAX_SAFE_INTEGER);
  // JSON has no negative zero.
  return fc.double({ min: least, max: most, noNaN: true }).map((number) => number + 0);
}

/** What some readers would set on a prototype is left out. */
const memberName = text.map((name) =>
  /^(?:__proto__|prototype|constructor)$/.test(name) ? `${name}_` : name,
);

/** Any value, of few levels. */
export const anything: Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(fc.constant(null), text, integer, float(), fc.boolean()),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(memberName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const webUrl = fc.oneof(
  fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true }),
  fc.constantFrom(
    ...['https://shop.example.com/', 'https://shop.example.com/?utm_source=a&b[]=c#top', 'http://localhost'],
    ...['https://bücher.example/größe?q=ä b#é', 'https://例え.テスト/道', 'http://[2001:db8::1]:8080/%zz'],
    ...['http://127.0.0.1:1/a//b/../c;d=e|f', 'HTTPS://EXAMPLE.COM', ' https://example.com/*?x={y} '],
  ),
);
const otherUrl = fc.constantFrom('', 'ftp://example.com/', 'about:blank', 'app://checkout/step/2');

/** @param formats that it is to have, of those that the contract knows */
export function url(formats: readonly string[]): Arbitrary<string> {
  const any = formats.includes('http-url') ? webUrl : fc.oneof({ weight: 4, arbitrary: webUrl }, otherUrl);
  return any.filter((text) => text === '' || (isUrl(text) && (hasHttpScheme(text) || any !== webUrl)));
}

/** Members that no schema lists. @param listed names of those that one does, which no other may look like */
export function furtherMembers(
  value: Arbitrary<JsonValue>,
  listed: readonly string[],
): Arbitrary<JsonObject> {
  const taken = new Set(listed.map(folded));
  const name = fc
    .oneof(
      fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{2,11}$/),
      fc.constantFrom('heatrecorder', '购物车', 'größe', 'x-1'),
    )
    .map((text) => (taken.has(folded(text)) || text === 'constructor' ? `${text}Further` : text));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true }) },
  );
}

/** Names that differ in letter case or in what is no letter alone are the same word, spelt wrong. */
function folded(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
    .toLowerCase();
}
