import fc, { type Arbitrary } from 'fast-check';
import type { Part } from '../contract/schema-shape.ts';
import { PatchgateError } from '../errors.ts';
import { hasHttpScheme, isUrl } from '../http/url.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { type BuilderOptions, blueprintOf } from './builders/blueprint.ts';
import {
  FORMAT_EXAMPLES,
  type Form,
  type FormReader,
  isAmong,
  type RecursionLimit,
  rangeOf,
  type TypeName,
  Unmade,
  valuesIn,
  withRecursionLimit,
} from './builders/schema-forms.ts';
import { misuse, orHint, withHint } from './with-hint.ts';

export interface ArbitraryOptions extends BuilderOptions {
  /** Bodies as well that the gate lets pass with warnings: values that were never seen, fields that no schema lists. */
  warnings?: boolean | undefined;
}

/** Bodies in a row that a rule may refuse. Of the shipped contract, none is. */
const MOST_REFUSED = 1000;
/** Values in a row that may not fit. */
const MOST_UNFIT = 10_000;
/** What to do where the schema is too much for arbitraries that are made of it. */
const UNMADE = 'make bodies of this operation with arbitraries of your own';

/**
 * `patchgate/fast-check`: bodies that the gate lets pass, made from the contract: `fc.property(arbitrary('updateProject'), …)`. It
 * has nothing to say of them, unless `warnings` are asked for. They shrink to the smallest body that passes.
 *
 * @throws PatchgateError `bad-usage` where the contract has no such operation; while bodies are drawn, `bad-contract` where rules
 *   refuse them all
 */
export function arbitrary<Body = JsonObject>(
  operation: string,
  options: ArbitraryOptions = {},
): Arbitrary<Body> {
  const blueprint = orHint(() => blueprintOf(operation, options, options.warnings !== true));
  const { parts, readers, fitted, objections, mended } = blueprint;
  const none = (why: string, hint = UNMADE) =>
    withHint(new PatchgateError('bad-contract', `no body of ${operation} could be made: ${why}`, { hint }));
  const values = orNone(() => oneOf(readers.map((reader) => () => arbitraryOf(reader, parts))));
  if (!values) throw none('its schema takes no value');
  const own = (options.customRules?.[operation] ?? []).map(({ name }) => name);
  let refused = 0;
  /** Undefined where a rule refuses it. */
  const passing = ([value, seed]: [JsonValue, number]): JsonValue | undefined => {
    const body = fitted(value, chooser(seed));
    const found = objections(body);
    const better = found.length === 0 ? body : mended(body, found, chooser(seed));
    const [wrong] = better === body ? found : objections(better);
    refused = wrong === undefined ? 0 : refused + 1;
    if (wrong === undefined) return better;
    if (refused < MOST_REFUSED) return undefined;
    const hint = 'a rule of your own needs an example that passes, from which bodies are made that do';
    throw none(`${wrong.message} (${wrong.rule})`, own.includes(wrong.rule) ? hint : UNMADE);
  };
  return fc
    .tuple(values, fc.nat())
    .map(passing)
    .filter((body) => body !== undefined) as Arbitrary<unknown> as Arbitrary<Body>;
}

/** Draws from a seed, always the same; of 0, always the first. */
function chooser(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    const drawn = count > 0 ? state % count : 0;
    state = Math.floor(state / Math.max(1, count));
    return drawn;
  };
}

/** The values that schemas take. @throws Unmade where no value can be */
function arbitraryOf(reader: FormReader, parts: readonly Part[]): Arbitrary<JsonValue> {
  return withRecursionLimit((limit) => arbitraryWithin(limit, reader, parts));
}

function arbitraryWithin(
  limit: RecursionLimit,
  reader: FormReader,
  parts: readonly Part[],
): Arbitrary<JsonValue> {
  return ofParts(parts, 0, []);

  /** @param level objects around it. @param above the subschemas around it. @throws Unmade where no value can be */
  function ofParts(parts: readonly Part[], level: number, above: readonly unknown[]): Arbitrary<JsonValue> {
    return oneOf(
      reader(parts).map((form) => () => {
        const within = [...above, ...form.from];
        if (!limit.take(within)) throw new Unmade([]);
        return ofForm(form, level, within);
      }),
    );
  }

  function ofForm(form: Form, level: number, above: readonly unknown[]): Arbitrary<JsonValue> {
    const values = valuesIn(form);
    if (values) return fc.constantFrom(...values);
    if (form.isOpen) return anything;
    const all = oneOf<JsonValue>(form.types.map((type) => () => ofType(type, form, level, above)));
    if (form.excluded.length === 0) return all;
    return fitting(all, 'what is not excluded', (value) => !isAmong(value, form.excluded));
  }

  function ofType(
    type: TypeName,
    form: Form,
    level: number,
    above: readonly unknown[],
  ): Arbitrary<JsonValue> {
    switch (type) {
      case 'object':
        return objects(form, level, above);
      case 'array':
        return lists(form, level, above);
      case 'string':
        return texts(form);
      case 'integer':
      case 'number':
        return numbers(form, type === 'integer');
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  }

  function objects(form: Form, level: number, above: readonly unknown[]): Arbitrary<JsonObject> {
    const { properties, required, bounds, further, additional } = form;
    const members: Record<string, Arbitrary<JsonValue>> = {};
    const optional = limit.hasOptional(level) ? properties.keys() : [];
    for (const name of new Set([...optional, ...required])) {
      const value = orNone(() => ofParts(properties.get(name) ?? additional, level + 1, above));
      if (value) members[name] = value;
      else if (required.has(name)) throw new Unmade([]);
    }
    const listed = fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
    const held = further === 'objects' ? [...additional, AN_OBJECT] : additional;
    const other = further === 'none' ? undefined : orNone(() => ofParts(held, level + 1, above));
    const all: Arbitrary<JsonObject> = other
      ? fc
          .tuple(furtherMembers(other, [...properties.keys(), ...required]), listed)
          .map(([more, some]) => ({ ...more, ...some }))
      : listed;
    const { minProperties = 0, maxProperties = Infinity } = bounds;
    if (minProperties <= required.size && maxProperties === Infinity) return all;
    const asked =
      maxProperties === Infinity ? `${minProperties} or more` : `${minProperties} to ${maxProperties}`;
    return fitting(all, `${asked} members`, (body) => {
      const count = Object.keys(body).length;
      return count >= minProperties && count <= maxProperties;
    });
  }

  function lists(
    { items, bounds, isUnique }: Form,
    level: number,
    above: readonly unknown[],
  ): Arbitrary<JsonValue[]> {
    const { minItems: minLength = 0, maxItems = Infinity } = bounds;
    const item = orNone(() => ofParts(items, level, above));
    if (!item && minLength > 0) throw new Unmade([]);
    if (!item) return fc.constant([]);
    const size = { minLength, maxLength: Math.min(maxItems, Math.max(minLength + 1, 4)) };
    return isUnique
      ? fc.uniqueArray(item, { ...size, selector: (one) => JSON.stringify(one) })
      : fc.array(item, size);
  }
}

/** Said of a value that can only be an object. */
const AN_OBJECT: Part = { document: undefined, at: { type: 'object' } };

function orNone<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Unmade) return undefined;
    throw error;
  }
}

/** @throws Unmade where none can be made */
function oneOf<T>(ways: readonly (() => Arbitrary<T>)[]): Arbitrary<T> {
  const [first, ...others] = ways.map(orNone).filter((way) => way !== undefined);
  if (!first) throw new Unmade([]);
  return others.length > 0 ? fc.oneof(first, ...others) : first;
}

/** Draws until a value fits; not for ever, as `filter` does. @param what the schema asks for, for a message */
function fitting<T>(values: Arbitrary<T>, what: string, fits: (value: T) => boolean): Arbitrary<T> {
  let unfit = 0;
  return values.filter((value) => {
    const isFit = fits(value);
    unfit = isFit ? 0 : unfit + 1;
    if (unfit >= MOST_UNFIT) throw misuse(`no value with ${what} could be made`, UNMADE);
    return isFit;
  });
}

function texts({ bounds, patterns, formats }: Form): Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity } = bounds;
  const isBound = minLength > 0 || maxLength < Infinity;
  const [pattern, ...others] = patterns.map((source) => new RegExp(source, 'u'));
  if (formats.some((format) => format.endsWith('url'))) return urls(formats);
  const [example] = formats.flatMap((format) => FORMAT_EXAMPLES[format] ?? []);
  if (example !== undefined) return fc.constant(example);
  if (!pattern && !isBound) return text;
  if (!pattern) {
    // The schema counts code points.
    const size = { minLength, maxLength: Math.min(maxLength, minLength + 12) };
    return fc.oneof(fc.string({ unit: 'grapheme-ascii', ...size }), fc.string({ unit: 'binary', ...size }));
  }
  let all: Arbitrary<string>;
  try {
    all = fc.stringMatching(pattern);
  } catch (error) {
    throw misuse(`no text can be made of the pattern ${pattern}: ${(error as Error).message}`, UNMADE);
  }
  if (others.length === 0 && !isBound) return all;
  return fitting(all, `the pattern ${pattern} and its other bounds`, (one) => {
    const { length } = [...one];
    return length >= minLength && length <= maxLength && others.every((other) => other.test(one));
  });
}

function numbers(form: Form, isInteger: boolean): Arbitrary<number> {
  const { least, most, step } = rangeOf(form, isInteger);
  // Of numbers, those that are no integers are drawn as well.
  const isDrawnAnyway = isInteger && step % 1 !== 0 && form.types.includes('number');
  if (least > most || isDrawnAnyway) throw new Unmade([]);
  if (step === 0) return floats(least, most);
  if (step === 1 && least === -Infinity && most === Infinity) return integer;
  const limit = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, step));
  const range = { min: Math.max(least, -limit), max: Math.min(most, limit) };
  // Beyond, not every integer is a number here, and the gate takes none of them.
  if (range.min > range.max) throw new Unmade([]);
  const multiples = fc
    .oneof(fc.integer(range), fc.constantFrom(range.min, range.max))
    .map((count) => count * step);
  return isInteger && step % 1 !== 0
    ? fitting(multiples, `an integer that is a multiple of ${step}`, Number.isInteger)
    : multiples;
}

const ODD_TEXTS = [
  ...['', ' ', 'Checkout', 'Größe', 'Bouton rouge', '购物车', 'سلة', '👩‍👩‍👧‍👦'],
  ...['e\u0301', '\u0000', '\u2028\ufeff'],
  ...['__proto__', '{"a":1}', '</script>', '\\u0041', "' OR 1=1", '../../x', '%00', 'null', '0', 'true'],
];

/** Text as people and programs write it, of all planes, without lone surrogates; what JSON holds, it holds exactly. */
const text: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: 'grapheme-composite', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

const ODD_INTEGERS = [-1, 2147483647, -2147483648, 4294967296];
/** Integers that every reader gets alike. */
const integer: Arbitrary<number> = fc.oneof(
  fc.nat(200),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(...ODD_INTEGERS, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

/** Of numbers beyond the safe integers, the digits that JSON shows are not the number itself. */
function floats(least = -Infinity, most = Infinity): Arbitrary<number> {
  const min = Math.max(least, Number.MIN_SAFE_INTEGER);
  const max = Math.min(most, Number.MAX_SAFE_INTEGER);
  // JSON has no negative zero.
  return fc.double({ min, max, noNaN: true }).map((number) => number + 0);
}

/** What some readers would set on a prototype is left out. */
const memberName = text.map((name) =>
  /^(?:__proto__|prototype|constructor)$/.test(name) ? `${name}_` : name,
);

/** Any value, of few levels. */
const anything: Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(fc.constant(null), text, integer, floats(), fc.boolean()),
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
function urls(formats: readonly string[]): Arbitrary<string> {
  if (formats.includes('http-url')) return webUrl.filter((one) => isUrl(one) && hasHttpScheme(one));
  return fc.oneof({ weight: 4, arbitrary: webUrl }, otherUrl).filter((one) => one === '' || isUrl(one));
}

/** Members that no schema lists. @param listed names of those that one does, which no other may look like */
function furtherMembers(value: Arbitrary<JsonValue>, listed: readonly string[]): Arbitrary<JsonObject> {
  // Names that differ in letter case or in what is no letter alone are the same word, spelt wrong.
  const letters = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '');
  const folded = (name: string) => letters(name).toUpperCase().toLowerCase();
  const taken = new Set(listed.map(folded));
  const name = fc
    .oneof(
      fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{2,11}$/),
      fc.constantFrom('heatrecorder', '购物车', 'größe', 'x-1'),
    )
    .map((one) => (taken.has(folded(one)) || one === 'constructor' ? `${one}Further` : one));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true }) },
  );
}
