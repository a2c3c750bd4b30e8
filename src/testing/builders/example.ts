import type { Part } from '../../contract/schema-shape.ts';
import { PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf, tokensOf } from '../../json/pointer.ts';
import type { Finding } from '../../model/finding.ts';
import { edited } from '../edited.ts';
import { orHint } from '../with-hint.ts';
import { type Blueprint, type BuilderOptions, blueprintOf } from './blueprint.ts';
import {
  FORMAT_EXAMPLES,
  type Form,
  type FormReader,
  isAmong,
  type RecursionLimit,
  rangeOf,
  Unmade,
  valuesIn,
  withRecursionLimit,
} from './schema-forms.ts';

export interface ExampleOptions extends BuilderOptions {
  /** `required`: without the fields that may be left out. */
  only?: 'required' | undefined;
}

/**
 * A body that the gate has nothing to say of, with every field that the contract lists, as far as they can stand together:
 * `example('updateFeature')`. Each call makes a new one, and always the same.
 *
 * @param changes members that take the place of its own; `undefined` takes one away. They are not looked at, so that a test can
 *   send what it likes
 * @throws PatchgateError `bad-usage` where the contract has no such operation, `bad-contract` where no body could be made
 */
export function example<Body = JsonObject>(
  operation: string,
  changes: object = {},
  options: ExampleOptions = {},
): Body {
  const body = orHint(() => exampleOf(blueprintOf(operation, options, true), options.only === 'required'));
  const members = Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Body;
}

/** @param isMinimal without what may be left out. @throws PatchgateError `bad-contract` where no body could be made */
export function exampleOf(blueprint: Blueprint, isMinimal = false): JsonObject {
  const { operation, readers, parts, fitted, objections, mended } = blueprint;
  const none = (why: string) =>
    new PatchgateError('bad-contract', `no example of ${operation} could be made: ${why}`, {
      hint: 'give its schema "examples" where the value stands, or the rule an example that passes',
    });
  let body: JsonValue;
  try {
    body = withRecursionLimit((limit) => exampleValue(readers[0], isMinimal, limit, parts));
  } catch (error) {
    if (!(error instanceof Unmade)) throw error;
    throw none(
      `its schema takes no value of ${pointerOf(error.path) || 'the body'} that could be thought of`,
    );
  }
  const first = () => 0;
  body = fitted(body, first);
  const found = objections(body);
  if (found.length > 0) body = mended(body, found, first);
  const left = objections(body);
  const shorter = shortened(body, left, objections);
  if (shorter === undefined) throw none((left[0] as Finding).message);
  if (isObject(shorter)) return shorter;
  throw none('it is no object');
}

/** Without the members that keep a body from being good: some may not stand together. */
function shortened(
  body: JsonValue,
  found: readonly Finding[],
  objections: Blueprint['objections'],
): JsonValue | undefined {
  const [wrong] = found;
  if (!wrong) return body;
  for (const shorter of withOneLess(body, tokensOf(wrong.pointer))) {
    const left = objections(shorter);
    if (left.length < found.length) return shortened(shorter, left, objections);
  }
  return undefined;
}

/** Bodies without something at a place: what stands in it, the place itself, what it stands in. */
function* withOneLess(body: JsonValue, path: readonly string[]): Iterable<JsonValue> {
  const value = path.reduce<unknown>(childOf, body);
  if (isObject(value))
    for (const name of Object.keys(value).reverse()) yield edited(body, [...path, name], undefined);
  for (let length = value === undefined ? path.length - 1 : path.length; length > 0; length--)
    yield edited(body, path.slice(0, length), undefined);
}

/** Where a value stands. */
interface Site {
  path: readonly (string | number)[];
  /** Name of the member that it is or is in. */
  name: string;
  /** Whether that has to be there. */
  isRequired: boolean;
  /** Which item of a list it is or is in, and lists around it. */
  index: number;
  lists: number;
  /** Objects around it. */
  level: number;
  /** The subschemas around it. */
  above: readonly unknown[];
}

const ROOT: Site = { path: [], name: '', isRequired: true, index: 0, lists: 0, level: 0, above: [] };
const HOME = 'https://www.example.com/';
/** Texts that are tried against a pattern. */
const WORDS =
  '12 a A abc ABC Example example example-1 a1 A1 AB12 a_1 a.b 1.0.0 example.com #0a84ff en en-GB EUR';
const LIKELY = [...WORDS.split(' '), ...['+4912345678', '0'.repeat(24), ...Object.values(FORMAT_EXAMPLES)]];

/**
 * A readable value of what a schema takes, the same each time: what the schema itself shows (`examples`, `enum`, `observed`), in the
 * order in which it does; else what the name suggests. A list has two items, one within another one has one.
 *
 * @throws Unmade at the place that keeps all from being made
 */
function exampleValue(
  reader: FormReader,
  isMinimal: boolean,
  limit: RecursionLimit,
  parts: readonly Part[],
): JsonValue {
  return valueAt(parts, ROOT);

  function valueAt(parts: readonly Part[], site: Site): JsonValue {
    let unmade: unknown;
    for (const form of reader(parts)) {
      const above = [...site.above, ...form.from];
      if (!limit.take(above)) continue;
      try {
        return ofForm(form, { ...site, above });
      } catch (error) {
        if (!(error instanceof Unmade)) throw error;
        unmade ??= error;
      }
    }
    throw unmade ?? new Unmade(site.path);
  }

  /** Undefined where it may be left out and cannot be made. */
  function optionalValue(parts: readonly Part[], site: Site, isOptional: boolean): JsonValue | undefined {
    try {
      return valueAt(parts, site);
    } catch (error) {
      if (error instanceof Unmade && isOptional) return undefined;
      throw error;
    }
  }

  function ofForm(form: Form, site: Site): JsonValue {
    const shown = valuesIn(form) ?? form.examples;
    if (shown.length > 0) return shown[site.index % shown.length] as JsonValue;
    if (form.isOpen) return words(site);
    switch (form.types[0]) {
      case 'object':
        return objectOf(form, site);
      case 'array':
        return listOf(form, site);
      case 'string':
        return textOf(form, site);
      case 'integer':
      case 'number':
        return numberOf(form, site);
      case 'boolean':
        return site.index === 0;
      default:
        return null;
    }
  }

  function objectOf({ bounds, properties, required, further, additional }: Form, site: Site): JsonObject {
    const body: JsonObject = {};
    const { minProperties = 0 } = bounds;
    const place = (name: string) => ({ ...site, name, path: [...site.path, name], level: site.level + 1 });
    const hasAll = !isMinimal && limit.hasOptional(site.level);
    let left = hasAll ? Infinity : minProperties - required.size;
    for (const name of new Set([...properties.keys(), ...required])) {
      const isRequired = required.has(name);
      if (!isRequired && left-- <= 0) continue;
      const inner = properties.get(name) ?? additional;
      const value = optionalValue(inner, { ...place(name), isRequired }, !isRequired);
      if (value !== undefined) body[name] = value;
    }
    for (let count = Object.keys(body).length; further !== 'none' && count < minProperties; count++) {
      const name = `further${count + 1}`;
      body[name] = further === 'objects' ? {} : valueAt(additional, place(name));
    }
    return body;
  }

  function listOf({ bounds, items: parts, isUnique }: Form, site: Site): JsonValue[] {
    const { minItems = 0, maxItems = Infinity } = bounds;
    const wished = isMinimal || parts.length === 0 ? 0 : site.lists === 0 ? 2 : 1;
    const items: JsonValue[] = [];
    for (let count = 0; count < Math.min(Math.max(minItems, wished), maxItems); count++) {
      const index = site.index + count;
      const place = { ...site, path: [...site.path, count], index, lists: site.lists + 1 };
      // An empty list says nothing: what may be left out is.
      const isOptional = items.length >= minItems && (site.isRequired || count > 0);
      const item = optionalValue(parts, place, isOptional);
      if (item === undefined) break;
      if (!isUnique || !isAmong(item, items)) items.push(item);
    }
    return items;
  }
}

function textOf({ bounds, patterns, formats }: Form, site: Site): string {
  if (formats.some((format) => format.endsWith('url')))
    return `${HOME}${site.index === 0 ? '' : site.index + 1}`;
  const [example] = formats.flatMap((format) => FORMAT_EXAMPLES[format] ?? []);
  if (example !== undefined) return example;
  const { minLength = 0, maxLength = Infinity } = bounds;
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'u'));
  const text = [words(site), words(site).toLowerCase(), ...LIKELY]
    .map((likely) => likely.padEnd(minLength, 'x').slice(0, maxLength))
    .find((likely) => expressions.every((expression) => expression.test(likely)));
  if (text === undefined) throw new Unmade(site.path);
  return text;
}

/** `newCampaignName` of the second item: `New campaign name 2` */
function words({ name, index, lists }: Site): string {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ') || 'value';
  const text = spaced.slice(0, 1).toUpperCase() + spaced.slice(1).toLowerCase();
  return lists > 0 ? `${text} ${index + 1}` : text;
}

function numberOf(form: Form, { index, path }: Site): number {
  const { least, most, step } = rangeOf(form, form.types.includes('integer'));
  const near = Math.min(Math.max(index + 1, least + index), most);
  const value = step > 0 ? near * step : near;
  if (least > most || (!form.types.includes('number') && !Number.isInteger(value))) throw new Unmade(path);
  return value;
}
