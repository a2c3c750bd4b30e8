import fc, { type Arbitrary } from 'fast-check';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import {
  AN_OBJECT,
  FORMAT_EXAMPLES,
  type Form,
  type Part,
  rangeOf,
  type TypeName,
} from '../builders/form.ts';
import { isSame, type SchemaReader, valuesIn } from '../builders/forms.ts';
import { type Rounds, withRounds } from '../builders/rounds.ts';
import { fitting, matching } from './drawing.ts';
import { anything, float, furtherMembers, integer, text, url } from './values.ts';

const MOST_ITEMS = 4;

/** Where a value stands. */
interface Way {
  /** Objects around it. */
  level: number;
  /** The subschemas that are gone through. */
  above: readonly unknown[];
  rounds: Rounds;
}

/** Makes arbitraries of the values that schemas take. */
export class ValueArbitraries {
  readonly #readers: readonly SchemaReader[];

  /** @param readers of what the values are drawn; the first one has no more to say than the others */
  constructor(readers: readonly SchemaReader[]) {
    this.#readers = readers;
  }

  /** @returns undefined where no value can be */
  of(parts: readonly Part[]): Arbitrary<JsonValue> | undefined {
    return withRounds((rounds) => this.#of(parts, { level: 0, above: [], rounds }));
  }

  #of(parts: readonly Part[], way: Way): Arbitrary<JsonValue> | undefined {
    const [first, ...others] = this.#readers.map((reader) => reader.forms(parts));
    const forms = [...(first ?? []), ...others.flat().filter(isLeaf)];
    return oneOf(
      forms.map((form) => {
        const above = [...way.above, ...form.from];
        return way.rounds.take(above) ? this.#ofForm(form, { ...way, above }) : undefined;
      }),
    );
  }

  #ofForm(form: Form, way: Way): Arbitrary<JsonValue> | undefined {
    const values = valuesIn(form);
    if (values) return fc.constantFrom(...values);
    if (form.isOpen) return anything;
    const all = oneOf(form.types.map((type) => this.#ofType(type, form, way)));
    if (form.not.length === 0) return all;
    return (
      all && fitting(all, 'what is not excluded', (value) => !form.not.some((other) => isSame(value, other)))
    );
  }

  #ofType(type: TypeName, form: Form, way: Way): Arbitrary<JsonValue> | undefined {
    switch (type) {
      case 'object':
        return this.#objects(form, way);
      case 'array':
        return this.#lists(form, way);
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

  #objects(form: Form, way: Way): Arbitrary<JsonObject> | undefined {
    const { properties, required, bounds, further, additional } = form;
    const members: Record<string, Arbitrary<JsonValue>> = {};
    const inner = { ...way, level: way.level + 1 };
    for (const name of new Set([...(way.rounds.isWhole(way.level) ? properties.keys() : []), ...required])) {
      const value = this.#of(properties.get(name) ?? additional, inner);
      if (value) members[name] = value;
      else if (required.has(name)) return undefined;
    }
    const listed = fc.record(members, {
      requiredKeys: [...required],
      noNullPrototype: true,
    }) as Arbitrary<JsonObject>;
    const other =
      further === 'none'
        ? undefined
        : this.#of(further === 'objects' ? [...additional, AN_OBJECT] : additional, inner);
    const all = other
      ? fc
          .tuple(listed, furtherMembers(other, [...properties.keys(), ...required]))
          .map(([some, more]) => ({ ...more, ...some }) as JsonObject)
      : listed;
    const { minProperties = 0, maxProperties = Infinity } = bounds;
    if (minProperties <= required.size && maxProperties === Infinity) return all;
    return fitting(
      all,
      maxProperties === Infinity
        ? `${minProperties} or more members`
        : `${minProperties} to ${maxProperties} members`,
      (body) => {
        const count = Object.keys(body).length;
        return count >= minProperties && count <= maxProperties;
      },
    );
  }

  #lists({ items, bounds, isUnique }: Form, way: Way): Arbitrary<JsonValue[]> | undefined {
    const { minItems: minLength = 0, maxItems = Infinity } = bounds;
    const item = this.#of(items, way);
    if (!item) return minLength === 0 ? fc.constant([]) : undefined;
    const size = { minLength, maxLength: Math.min(maxItems, Math.max(minLength + 1, MOST_ITEMS)) };
    return isUnique
      ? fc.uniqueArray(item, { ...size, selector: (one) => JSON.stringify(one) })
      : fc.array(item, size);
  }
}

/** Whether there is nothing in the values. */
function isLeaf({ types, isOpen }: Form): boolean {
  return !isOpen && !types.includes('object') && !types.includes('array');
}

function oneOf<T>(some: readonly (Arbitrary<T> | undefined)[]): Arbitrary<T> | undefined {
  const [first, ...others] = some.filter((arbitrary) => arbitrary !== undefined);
  return first && others.length > 0 ? fc.oneof(first, ...others) : first;
}

function texts({ bounds, patterns, formats }: Form): Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity } = bounds;
  const isBound = minLength > 0 || maxLength < Infinity;
  const [pattern, ...others] = patterns.map((source) => new RegExp(source, 'u'));
  if (formats.some((format) => format.endsWith('url'))) return url(formats);
  const [example] = formats.flatMap((format) => FORMAT_EXAMPLES[format] ?? []);
  if (example !== undefined) return fc.constant(example);
  if (!pattern) return isBound ? sized(minLength, maxLength) : text;
  const all = matching(pattern);
  if (others.length === 0 && !isBound) return all;
  return fitting(all, `the pattern ${pattern} and its other bounds`, (one) => {
    const length = [...one].length;
    return length >= minLength && length <= maxLength && others.every((other) => other.test(one));
  });
}

/** The schema counts code points. */
function sized(minLength: number, most: number): Arbitrary<string> {
  const maxLength = Math.min(most, minLength + 12);
  return fc.oneof(
    fc.string({ unit: 'grapheme-ascii', minLength, maxLength }),
    fc.string({ unit: 'binary', minLength, maxLength }),
  );
}

function numbers(form: Form, isInteger: boolean): Arbitrary<number> | undefined {
  const { least, most, step } = rangeOf(form, isInteger);
  if (least > most) return undefined;
  // Of numbers, those that are no integers are drawn as well.
  if (isInteger && step % 1 !== 0 && form.types.includes('number')) return undefined;
  if (step === 0) return float(least, most);
  if (step === 1 && least === -Infinity && most === Infinity) return integer;
  const limit = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, step));
  const range = { min: Math.max(least, -limit), max: Math.min(most, limit) };
  // Beyond, not every integer is a number here.
  if (range.min > range.max)
    return fc.constantFrom(...[least, most].filter(Number.isFinite).map((count) => count * step));
  const multiples = fc
    .oneof(fc.integer(range), fc.constantFrom(range.min, range.max))
    .map((count) => count * step);
  return isInteger && step % 1 !== 0
    ? fitting(multiples, `an integer that is a multiple of ${step}`, Number.isInteger)
    : multiples;
}
