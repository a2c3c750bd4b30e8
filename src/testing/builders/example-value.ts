import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Path } from '../edited.ts';
import { FORMAT_EXAMPLES, type Form, type Part, rangeOf } from './form.ts';
import { isSame, type SchemaReader, valuesIn } from './forms.ts';
import { type Rounds, withRounds } from './rounds.ts';

interface Stuck {
  at?: Path | undefined;
}

/** Where a value stands: its name, and which item of a list it is or is in. */
interface Site {
  name: string;
  index: number;
  /** Lists around it. */
  lists: number;
  /** Whether the member that it is, or is in, has to be there. */
  isRequired: boolean;
  /** Objects around it. */
  level: number;
  /** The subschemas around it. */
  above: readonly unknown[];
  rounds: Rounds;
  path: Path;
  stuck: Stuck;
}

/**
 * A readable value of what a schema takes, the same each time: what the schema itself shows (`examples`, `enum`, `observed`), in
 * the order in which it does; else what the name suggests. A list has two items, one within another one has one.
 *
 * @param isMinimal leaves out what is not required
 * @param stuck is told the place that kept all from being made
 * @returns undefined where no value could be made
 */
export function exampleValue(
  reader: SchemaReader,
  parts: readonly Part[],
  isMinimal: boolean,
  stuck: Stuck = {},
): JsonValue | undefined {
  return withRounds((rounds) =>
    placedValue(reader, parts, isMinimal, {
      stuck,
      path: [],
      name: '',
      index: 0,
      lists: 0,
      isRequired: true,
      level: 0,
      above: [],
      rounds,
    }),
  );
}

function placedValue(
  reader: SchemaReader,
  parts: readonly Part[],
  isMinimal: boolean,
  site: Site,
): JsonValue | undefined {
  for (const form of reader.forms(parts)) {
    const above = [...site.above, ...form.from];
    if (!site.rounds.take(above)) continue;
    const value = valueAt(reader, form, isMinimal, { ...site, above });
    if (value !== undefined) return value;
  }
  site.stuck.at ??= site.path;
  return undefined;
}

function valueAt(reader: SchemaReader, form: Form, isMinimal: boolean, site: Site): JsonValue | undefined {
  const shown = valuesIn(form) ?? form.examples;
  if (shown.length > 0) return shown[site.index % shown.length];
  if (form.isOpen) return words(site);
  switch (form.types[0]) {
    case 'object':
      return objectOf(reader, form, isMinimal, site);
    case 'array':
      return listOf(reader, form, isMinimal, site);
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

function objectOf(reader: SchemaReader, form: Form, isMinimal: boolean, site: Site): JsonValue | undefined {
  const { bounds, properties, required } = form;
  const body: JsonObject = {};
  const { minProperties = 0 } = bounds;
  const names = new Set([...properties.keys(), ...required]);
  const isWhole = !isMinimal && site.rounds.isWhole(site.level);
  const inner = { ...site, level: site.level + 1 };
  let left = isWhole ? names.size : Math.max(0, minProperties - required.size);
  for (const name of names) {
    if (!required.has(name) && left-- <= 0) continue;
    const parts = properties.get(name) ?? form.additional;
    const before = site.stuck.at;
    const value = placedValue(reader, parts, isMinimal, {
      ...inner,
      name,
      path: [...site.path, name],
      isRequired: required.has(name),
    });
    if (value !== undefined) body[name] = value;
    else if (required.has(name)) return undefined;
    else site.stuck.at = before;
  }
  for (let count = Object.keys(body).length; form.further !== 'none' && count < minProperties; count++) {
    const name = `further${count + 1}`;
    const further =
      form.further === 'objects'
        ? {}
        : placedValue(reader, form.additional, isMinimal, { ...inner, name, path: [...site.path, name] });
    if (further === undefined) return undefined;
    body[name] = further;
  }
  return body;
}

function listOf(reader: SchemaReader, form: Form, isMinimal: boolean, site: Site): JsonValue | undefined {
  const { minItems = 0, maxItems = Infinity } = form.bounds;
  const wished = isMinimal || form.items.length === 0 ? 0 : site.lists === 0 ? 2 : 1;
  const count = Math.min(Math.max(minItems, wished), maxItems);
  const items: JsonValue[] = [];
  for (let index = 0; index < count; index++) {
    const at = { ...site, path: [...site.path, index], index: site.index + index, lists: site.lists + 1 };
    const item = placedValue(reader, form.items, isMinimal, at);
    // An empty list says nothing: what may be left out is.
    if (item === undefined)
      return items.length >= minItems && (site.isRequired || index > 0) ? items : undefined;
    if (!form.isUnique || !items.some((other) => isSame(item, other))) items.push(item);
  }
  return items;
}

const HOME = 'https://www.example.com/';
/** Texts that are tried against a pattern. */
const LIKELY = [
  ...[
    '12',
    'a',
    'A',
    'abc',
    'ABC',
    'Example',
    'example',
    'example-1',
    'a1',
    'A1',
    'AB12',
    'a_1',
    'a.b',
    '1.0.0',
  ],
  ...[
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '12:00',
    '12:00:00',
    'ana@example.com',
    'example.com',
    HOME,
    '/a',
  ],
  ...['#0a84ff', 'en', 'en-GB', 'EUR', '+4912345678', '00000000-0000-4000-8000-000000000000', '0'.repeat(24)],
];

function textOf({ bounds, patterns, formats }: Form, site: Site): string | undefined {
  if (formats.some((format) => format.endsWith('url')))
    return `${HOME}${site.index === 0 ? '' : site.index + 1}`;
  const [example] = formats.flatMap((format) => FORMAT_EXAMPLES[format] ?? []);
  if (example !== undefined) return example;
  const { minLength = 0, maxLength = Infinity } = bounds;
  const sized = (text: string) => text.padEnd(minLength, 'x').slice(0, maxLength);
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'u'));
  return [words(site), words(site).toLowerCase(), ...LIKELY]
    .map(sized)
    .find((text) => expressions.every((expression) => expression.test(text)));
}

/** `newCampaignName` of the second item: `New campaign name 2` */
function words({ name, index, lists }: Site): string {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
  const text = spaced === '' ? 'Value' : spaced.slice(0, 1).toUpperCase() + spaced.slice(1).toLowerCase();
  return lists > 0 ? `${text} ${index + 1}` : text;
}

function numberOf(form: Form, { index }: Site): number | undefined {
  const { least, most, step } = rangeOf(form, form.types.includes('integer'));
  const near = Math.min(Math.max(index + 1, least + index), most);
  const value = step > 0 ? near * step : near;
  return least > most || (!form.types.includes('number') && !Number.isInteger(value)) ? undefined : value;
}
