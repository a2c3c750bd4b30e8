import { isObject, type JsonValue } from '../../json/json.ts';
import type { Form } from './form.ts';

interface BoundSlip {
  /** After the place's name: `is shorter than 3` */
  what: string;
  instead: JsonValue;
  rule: string;
}

/** Items or characters of a value that is too long. */
const MOST = 10_000;

/** Values that are just past what a form's bounds take. */
export function* boundSlips({ bounds, isUnique, required }: Form, value: JsonValue): Iterable<BoundSlip> {
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = bounds;
    const sized = (length: number) => value.slice(0, length).padEnd(length, 'x');
    if (minLength > 0)
      yield {
        what: `is shorter than ${minLength}`,
        instead: sized(minLength - 1),
        rule: 'schema.min-length',
      };
    if (maxLength < MOST)
      yield { what: `is longer than ${maxLength}`, instead: sized(maxLength + 1), rule: 'schema.max-length' };
  }
  if (typeof value === 'number') yield* numbersPast(bounds, value);
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity } = bounds;
    if (minItems > 0)
      yield {
        what: `has less than ${minItems}`,
        instead: value.slice(0, minItems - 1),
        rule: 'schema.min-items',
      };
    if (maxItems < MOST && value.length > 0)
      yield {
        what: `has more than ${maxItems}`,
        instead: repeated(value, maxItems + 1),
        rule: 'schema.max-items',
      };
    if (isUnique && value.length > 0)
      yield {
        what: 'has an item twice',
        instead: repeated(value, value.length + 1),
        rule: 'schema.unique-items',
      };
  }
  const { minProperties = 0 } = bounds;
  if (isObject(value) && minProperties > required.size) {
    const kept = Object.entries(value).filter(([name]) => required.has(name));
    yield {
      what: `has less than ${minProperties}`,
      instead: Object.fromEntries(kept),
      rule: 'schema.min-properties',
    };
  }
}

function* numbersPast(bounds: Form['bounds'], value: number): Iterable<BoundSlip> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
  const step = multipleOf ?? 1;
  if (minimum !== undefined)
    yield { what: `is below ${minimum}`, instead: minimum - step, rule: 'schema.minimum' };
  if (maximum !== undefined)
    yield { what: `is above ${maximum}`, instead: maximum + step, rule: 'schema.maximum' };
  if (exclusiveMinimum !== undefined)
    yield { what: `is ${exclusiveMinimum}`, instead: exclusiveMinimum, rule: 'schema.exclusive-minimum' };
  if (exclusiveMaximum !== undefined)
    yield { what: `is ${exclusiveMaximum}`, instead: exclusiveMaximum, rule: 'schema.exclusive-maximum' };
  if (multipleOf !== undefined && multipleOf !== 1)
    yield {
      what: `is no multiple of ${multipleOf}`,
      instead: value + (multipleOf > 1 ? 1 : multipleOf / 2),
      rule: 'schema.multiple-of',
    };
}

function repeated(list: readonly JsonValue[], length: number): JsonValue[] {
  return Array.from({ length }, (_, index) => list[index % list.length] as JsonValue);
}
