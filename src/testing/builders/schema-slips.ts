import { kindOf } from '../../contract/check-schema.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { edited, type Path, renamed } from '../edited.ts';
import type { Blueprint } from './blueprint.ts';
import { boundSlips } from './bound-slips.ts';
import { exampleValue } from './example-value.ts';
import { AN_OBJECT, FORMAT_EXAMPLES, type Form, type Part } from './form.ts';
import { type SchemaReader, schemaReader, takesType, valuesIn } from './forms.ts';
import type { Slip } from './invalid-body.ts';

/** A value of the example, and what its schema says of it. */
interface Place {
  /** The example, which has the place. */
  body: JsonValue;
  path: Path;
  value: JsonValue;
  /** What its schema says; of `errors`, each way in which there is none. */
  parts: readonly Part[];
  errors: readonly (readonly Part[])[];
}

/** For each value of an example, of a list the first, all that its schema would object to. */
export function* schemaSlips({ schemas, schemaParts }: Blueprint, body: JsonValue): Iterable<Slip> {
  const readers = { lax: schemaReader(schemas, false), strict: schemaReader(schemas, true) };
  const errors = [schemaParts];
  yield* slipsBelow({ body, path: [], value: body, parts: schemaParts, errors }, readers);
}

interface Readers {
  lax: SchemaReader;
  strict: SchemaReader;
}

function* slipsBelow(place: Place, readers: Readers): Iterable<Slip> {
  const { body, path, value, parts, errors } = place;
  const lax = errors.flatMap((some) => readers.lax.forms(some));
  const strict = readers.strict.forms(parts)[0];
  if (!strict || lax.every(({ isOpen }) => isOpen)) return;
  yield* typeSlips(place, lax);
  yield* valueSlips(place, lax, strict);
  for (const form of lax)
    for (const { what, instead, rule } of boundSlips(form, value)) yield slipOf(place, what, instead, rule);
  if (isObject(value)) yield* memberSlips(place, lax[0] ?? strict, strict);
  for (const [token, inner, partsOf] of innerOf(value, strict))
    yield* slipsBelow(
      { body, path: [...path, token], value: inner, parts: partsOf(strict), errors: lax.map(partsOf) },
      readers,
    );
  if (!isObject(value) || strict.further !== 'objects' || strict.additional.length === 0) return;
  const further = [...strict.additional, AN_OBJECT];
  const inner = exampleValue(readers.strict, further, false) ?? {};
  const at = [...path, 'further'];
  const errorsOf = lax.map(({ additional }) => [...additional, AN_OBJECT]);
  yield* slipsBelow(
    { body: edited(body, at, inner), path: at, value: inner, parts: further, errors: errorsOf },
    readers,
  );
}

type Inner = readonly [token: string | number, value: JsonValue, partsOf: (form: Form) => readonly Part[]];

function* innerOf(value: JsonValue, { properties }: Form): Iterable<Inner> {
  if (Array.isArray(value) && value[0] !== undefined) yield [0, value[0], ({ items }) => items];
  if (!isObject(value)) return;
  for (const name of properties.keys())
    if (value[name] !== undefined) yield [name, value[name], (form) => form.properties.get(name) ?? []];
}

function slipOf({ body, path }: Place, what: string, instead: JsonValue | undefined, rule: string): Slip {
  const pointer = pointerOf(path);
  return {
    name: `${pointer || 'the body'} ${what}`,
    body: edited(body, path, instead),
    expected: [{ rule, pointer }],
  };
}

function* typeSlips(place: Place, lax: readonly Form[]): Iterable<Slip> {
  const types = lax.flatMap((form) => form.types);
  // What a careless client makes of it comes first.
  const text = typeof place.value === 'object' ? 'x' : String(place.value);
  const number = types.includes('integer') ? 0.5 : 7;
  for (const instead of [null, text, number, true, [], {}])
    if (!takesType(types, instead)) yield slipOf(place, `is ${kindOf(instead)}`, instead, 'schema.type');
}

function* valueSlips(place: Place, lax: readonly Form[], strict: Form): Iterable<Slip> {
  const { value } = place;
  const listed = lax.map(valuesIn);
  const seen = valuesIn(strict);
  const allowed = listed.every((values) => values !== undefined) ? listed.flat() : undefined;
  if (allowed) {
    const rule = allowed.length === 1 ? 'schema.const' : 'schema.enum';
    const others = typeof value === 'string' ? [value.toLowerCase(), value.toUpperCase()] : [];
    for (const instead of ['OTHER', ...others])
      if (!allowed.includes(instead)) yield slipOf(place, `is ${JSON.stringify(instead)}`, instead, rule);
  }
  if (allowed || typeof value !== 'string') return;
  if (seen) {
    if (!seen.includes('other')) yield slipOf(place, 'is "other"', 'other', 'schema.observed');
  } else {
    const expressions = strict.patterns.map((pattern) => new RegExp(pattern, 'u'));
    const instead = ['other', 'OTHER', '7', ''].find((text) => expressions.some((one) => !one.test(text)));
    const isStated = lax.some(({ patterns }) => patterns.length > 0);
    if (instead !== undefined)
      yield slipOf(
        place,
        `is ${JSON.stringify(instead)}`,
        instead,
        isStated ? 'schema.pattern' : 'schema.observed',
      );
  }
  if (strict.formats.includes('url')) yield slipOf(place, 'is no URL', 'not a URL', 'schema.format');
  if (strict.formats.includes('http-url')) {
    yield slipOf(place, 'is empty', '', 'schema.format');
    yield slipOf(place, 'is an ftp URL', 'ftp://example.com/', 'schema.format');
  }
  for (const format of strict.formats)
    if (FORMAT_EXAMPLES[format]) yield slipOf(place, `is no ${format}`, ' (', 'schema.format');
}

function* memberSlips(place: Place, lax: Form, strict: Form): Iterable<Slip> {
  const { body, path, value } = place;
  const at = (name: string) => pointerOf([...path, name]);
  for (const name of strict.required)
    yield {
      name: `${at(name)} is missing`,
      body: edited(body, [...path, name], undefined),
      expected: [{ rule: 'schema.required', pointer: at(name) }],
    };
  const isClosed = lax.further === 'none';
  if (isClosed || strict.further !== 'any') {
    const rule = isClosed ? 'schema.additional-properties' : 'schema.unknown-field';
    yield {
      name: `${at('unlisted')} is no listed field`,
      body: edited(body, [...path, 'unlisted'], true),
      expected: [{ rule, pointer: at('unlisted') }],
    };
  }
  if (isClosed || strict.further === 'any') return;
  for (const name of strict.properties.keys())
    for (const to of misspellings(name)) {
      if ((value as object)[name as never] === undefined || strict.properties.has(to)) continue;
      const missing = strict.required.has(name) ? [{ rule: 'schema.required', pointer: at(name) }] : [];
      yield {
        name: `${at(name)} is spelt ${to}`,
        body: renamed(body, path, name, to),
        expected: [{ rule: 'schema.field-case', pointer: at(to) }, ...missing],
      };
    }
}

/** `isEnabled`: `IsEnabled`, `is_enabled` */
function misspellings(name: string): string[] {
  const [first = ''] = name;
  const turned = (first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase()) + name.slice(1);
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return [...new Set([turned, snake])].filter((other) => other !== name);
}
