import { kindOf } from '../../contract/check-schema.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { Severity } from '../../model/finding.ts';
import type { FailingExample } from '../../model/rule.ts';
import { copyOf, edited, type Path } from '../edited.ts';
import { orHint } from '../with-hint.ts';
import { type Blueprint, type BuilderOptions, blueprintOf, overlay, pathOf } from './blueprint.ts';
import { exampleOf } from './example.ts';

/** What a finding of the gate is told by. */
export interface GateFinding {
  rule: string;
  severity: Severity;
  /** JSON Pointer of the place in the body; `""` for the request's own. */
  pointer: string;
}

/** A request with something wrong in it, and what the gate says of that. */
export interface InvalidBody {
  /** What is wrong; no other one of the operation has this name: `/languages is missing` */
  name: string;
  operation: string;
  method: string;
  /** From what the base URL ends with: `/accounts/current/projects/42` */
  path: string;
  /** Id of the record, as it stands in the path. */
  id: string;
  headers: Readonly<Record<string, string>>;
  /** For a client that writes JSON and headers itself; absent where it is these that are wrong: duplicate names, a wrong type. */
  body?: JsonValue;
  /** What is sent, byte by byte in UTF-8. */
  text: string;
  /** What the record was before: without knowing that, the gate has nothing to say. */
  state?: JsonObject;
  /** What this is about. */
  finding: GateFinding;
  /** All that the gate finds, nearly always that alone. */
  findings: readonly GateFinding[];
  /** Of the gate's answer; absent where it lets the request pass, with warnings. */
  status?: number;
}

export interface InvalidBodiesOptions extends Omit<BuilderOptions, 'state'> {
  /** `error`: without those that the gate lets pass with a warning. */
  severity?: Severity | undefined;
}

/** A request with something changed in it, before the gate was asked. */
interface Mutation extends Partial<Pick<InvalidBody, 'id' | 'headers' | 'body' | 'text' | 'state'>> {
  name: string;
  /** Where the gate must find something, and by which of these rules. */
  rules: readonly string[];
  pointers: readonly string[];
}

/**
 * Everything that can be wrong with a body of an operation, one thing at a time, each with the finding that the gate must give:
 * `test.each(invalidBodies('updateProject'))('$name', ({ text, finding }) => …)`. Made from `example(operation)`: each of its places
 * is mutated, each example of a rule is laid over it, and it is written as no JSON should be. The same each time.
 *
 * @throws PatchgateError as `example` does
 */
export function invalidBodies(operation: string, options: InvalidBodiesOptions = {}): InvalidBody[] {
  return orHint(() => bodiesOf(operation, options));
}

function bodiesOf(operation: string, { severity, ...options }: InvalidBodiesOptions): InvalidBody[] {
  const blueprint = blueprintOf(operation, { ...options, state: undefined }, true);
  const good = exampleOf(blueprint);
  const names = new Map<string, number>();
  const seen = new Set<string>();
  const bodies: InvalidBody[] = [];
  for (const alternatives of [
    ...schemaMutations(blueprint, good),
    ...ruleMutations(blueprint, good),
    ...requestMutations(good),
  ]) {
    let body: InvalidBody | undefined;
    for (const mutation of alternatives) body ??= judge(blueprint, mutation);
    if (!body || (severity === 'error' && body.finding.severity !== 'error')) continue;
    const { rule, pointer } = body.finding;
    if (ONCE.includes(rule)) {
      if (seen.has(`${rule} ${pointer}`)) continue;
      seen.add(`${rule} ${pointer}`);
    }
    const count = (names.get(body.name) ?? 0) + 1;
    names.set(body.name, count);
    bodies.push(count === 1 ? body : { ...body, name: `${body.name} (${count})` });
  }
  return bodies;
}

/** What the gate says of a mutation; undefined where it does not find what was meant. */
function judge(
  { operation, entry, gate, ...blueprint }: Blueprint,
  mutation: Mutation,
): InvalidBody | undefined {
  const { name, body, text = JSON.stringify(body), state, id = blueprint.id, rules, pointers } = mutation;
  const headers = { 'content-type': 'application/json', ...mutation.headers };
  const { method } = entry;
  const path = pathOf(entry, id);
  const request = { method, url: path, headers: Object.entries(headers).flat(), body: Buffer.from(text) };
  const known = state && { record: state, isWhole: true };
  const { findings, status } = gate.inspect(request, undefined, { known }).verdict;
  const found = findings.map(({ rule, severity, pointer }): GateFinding => ({ rule, severity, pointer }));
  const meant = pointers.map((pointer) =>
    found.find((one) => rules.includes(one.rule) && one.pointer === pointer),
  );
  const [finding] = meant;
  // A warning that something else turns into a refusal is no example of a warning.
  if (!finding || meant.includes(undefined) || (finding.severity === 'warn' && status !== undefined))
    return undefined;
  return {
    ...{ name, operation, method, path, id, headers },
    // Each is its own: what a test does to one is not seen in the others.
    ...(body !== undefined && { body: copyOf(body) }),
    text,
    ...(state && { state: copyOf(state) }),
    ...{ finding, findings: found },
    ...(status !== undefined && { status }),
  };
}

const LISTED = ['schema.enum', 'schema.const'];
const TEXTS: readonly [what: string, text: string, rules: readonly string[]][] = [
  ['is "OTHER"', 'OTHER', LISTED],
  ['is "other"', 'other', ['schema.observed', 'schema.pattern']],
  ['is "7"', '7', ['schema.observed', 'schema.pattern']],
  ['is empty', '', ['schema.format', 'schema.min-length']],
  ['is no URL', 'not a (URL', ['schema.format']],
  ['is an ftp URL', 'ftp://example.com/', ['schema.format']],
  ['is too short', 'x', ['schema.min-length']],
  ['is too long', 'x'.repeat(10_001), ['schema.max-length']],
];
/** Of these, one at a place is enough. */
const ONCE = ['schema.observed', 'schema.pattern', 'schema.min-length', 'schema.multiple-of'];

/** For each value of an example, of a list the first, all that its schema could object to. The gate says to what it does. */
function* schemaMutations(
  { objections, schemas }: Blueprint,
  good: JsonValue,
): Iterable<readonly Mutation[]> {
  const said = JSON.stringify([...schemas.values()]);
  yield* below(good, [], good);

  function* below(body: JsonValue, path: Path, value: JsonValue): Iterable<readonly Mutation[]> {
    const mutations = [
      // What no schema bounds need not be tried.
      ...[...valueMutations(value)].filter(({ rules }) =>
        rules.some((rule) => said.includes(keywordOf(rule))),
      ),
      ...(isObject(value) ? memberMutations(value) : []),
    ];
    for (const { what, instead, rules, at = [], found } of mutations) {
      const place = [...path, ...at];
      yield [
        {
          name: `${pointerOf(place) || 'the body'} ${what}`,
          body: edited(body, path, instead),
          rules,
          pointers: [pointerOf(found === undefined ? place : [...path, found])],
        },
      ];
    }
    if (Array.isArray(value) && value[0] !== undefined) yield* below(body, [...path, 0], value[0]);
    if (!isObject(value)) return;
    for (const [name, inner] of Object.entries(value)) yield* below(body, [...path, name], inner);
    // Where an object takes further members like its own, what is said of these.
    const sibling = Object.values(value).findLast(isObject);
    const further = sibling && edited(body, [...path, 'further'], sibling);
    if (further && objections(further).length === 0) yield* below(further, [...path, 'further'], sibling);
  }
}

/** `schema.min-length`: `"minLength"` */
function keywordOf(rule: string): string {
  return `"${rule.slice('schema.'.length).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}"`;
}

interface ValueMutation {
  what: string;
  instead: JsonValue;
  rules: readonly string[];
  /** The member that it is about. */
  at?: Path;
  /** The member at which the gate finds something, where it is another one. */
  found?: string;
}

function* valueMutations(value: JsonValue): Iterable<ValueMutation> {
  // What a careless client makes of it comes first.
  const text = typeof value === 'object' ? 'x' : String(value);
  for (const instead of [null, text, typeof value === 'number' ? 0.5 : 7, true, [], {}])
    yield { what: `is ${kindOf(instead)}`, instead, rules: ['schema.type'] };
  if (typeof value === 'string') {
    for (const [what, instead, rules] of TEXTS) yield { what, instead, rules };
    for (const instead of new Set([value.toLowerCase(), value.toUpperCase()]))
      yield { what: `is ${JSON.stringify(instead)}`, instead, rules: LISTED };
  }
  if (typeof value === 'number') {
    for (const instead of [value + 1, value + 0.001])
      yield { what: `is ${instead}`, instead, rules: ['schema.multiple-of', ...LISTED] };
    for (const instead of [-1e12, 1e12]) {
      const rules =
        instead < 0
          ? ['schema.minimum', 'schema.exclusive-minimum']
          : ['schema.maximum', 'schema.exclusive-maximum', 'schema.format'];
      yield { what: `is ${instead}`, instead, rules };
    }
  }
  if (Array.isArray(value)) {
    const repeated = (times: number) => Array.from({ length: times }, () => value).flat();
    yield { what: 'is empty', instead: [], rules: ['schema.min-items'] };
    yield { what: 'has its items twice', instead: repeated(2), rules: ['schema.unique-items'] };
    yield { what: 'has too many items', instead: repeated(1000), rules: ['schema.max-items'] };
  }
  if (isObject(value)) yield { what: 'is empty', instead: {}, rules: ['schema.min-properties'] };
}

function* memberMutations(value: JsonObject): Iterable<ValueMutation> {
  for (const name of Object.keys(value)) {
    const { [name]: _, ...instead } = value;
    yield { what: 'is missing', instead, rules: ['schema.required'], at: [name] };
  }
  const rules = ['schema.unknown-field', 'schema.additional-properties'];
  yield { what: 'is no listed field', instead: { ...value, unlisted: true }, rules, at: ['unlisted'] };
  for (const name of Object.keys(value))
    for (const to of misspellings(name)) {
      const members = Object.entries(value).map(([own, inner]) => [own === name ? to : own, inner]);
      const instead = Object.fromEntries(members);
      yield { what: `is spelt ${to}`, instead, rules: ['schema.field-case'], at: [name], found: to };
    }
}

/** `isEnabled`: `IsEnabled`, `is_enabled` */
function misspellings(name: string): string[] {
  const first = name.slice(0, 1);
  const turned = (first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase()) + name.slice(1);
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return [...new Set([turned, snake])].filter((other) => other !== name);
}

/** What the rules of an operation find in their own examples, each in several forms, the best one first. */
function* ruleMutations(blueprint: Blueprint, good: JsonObject): Iterable<readonly Mutation[]> {
  for (const { name: rule, examples } of blueprint.rules)
    for (const example of examples.fails) {
      const { pointers, recordId: id } = example;
      // An effect is one on a record of which the example's body leaves something out.
      const state = example.known ?? (example.effects && good);
      const at = [...new Set(pointers)].map((pointer) => pointer || 'the body').join(', ');
      yield bodiesWith(example, good, blueprint, rule).map((body) => ({
        ...{ name: `${rule} at ${at}`, body, rules: [rule], pointers },
        ...(id !== undefined && { id }),
        ...(state && { state }),
      }));
    }
}

/** A good body with what the example says, as good as it can be otherwise; and the example alone. */
function bodiesWith(
  { body }: FailingExample,
  good: JsonObject,
  { fitted }: Blueprint,
  rule: string,
): JsonValue[] {
  const bodies = [overlay(good, body), ...(isObject(body) ? [{ ...good, ...body }] : []), body];
  return [...bodies.map((one) => fitted(one, () => 0, rule)), ...bodies];
}

/** Levels that no body may have. */
const TOO_DEEP = 129;
/** The first integer that no double holds. */
const UNSAFE = '9007199254740993';
const MARK = '"the place of a number"';

/** What is wrong with a request whatever its operation: good bodies, written badly. */
function* requestMutations(body: JsonObject): Iterable<readonly Mutation[]> {
  const text = JSON.stringify(body);
  for (const [what, type] of [
    ['Content-Type is empty', ''],
    ['Content-Type is text/plain', 'text/plain'],
    ['Content-Type is that of a form', 'application/x-www-form-urlencoded'],
    ['the charset is Latin 1', 'application/json; charset=iso-8859-1'],
  ] as const)
    yield badlyWritten(what, text, 'request.content-type', '', { 'content-type': type });
  const unreadable = { 'content-encoding': 'compress' };
  yield badlyWritten('Content-Encoding is compress', text, 'request.content-encoding', '', unreadable);
  for (const [what, wrong] of [
    ['is empty', ''],
    ['is cut off', text.slice(0, -1)],
    ['has a comma too many', `${text.slice(0, -1)},${text.slice(-1)}`],
    ['has a comment', `${text.slice(0, 1)}/* all of it */${text.slice(1)}`],
    ['is in single quotes', text.replaceAll('"', "'")],
    ['is NaN', 'NaN'],
    ['is written twice', text + text],
    ['begins with a byte order mark', `\uFEFF${text}`],
    ['is a form', 'name=Checkout'],
  ] as const)
    yield badlyWritten(`the body ${what}`, wrong, 'request.json');
  const deep = '['.repeat(TOO_DEEP) + ']'.repeat(TOO_DEEP);
  yield badlyWritten(`the body is ${TOO_DEEP} levels deep`, deep, 'request.too-large');
  const [first] = Object.entries(body);
  const rest = first ? `,${text.slice(1)}` : '}';
  if (first) {
    const pointer = pointerOf([first[0]]);
    const twice = `{${JSON.stringify(first[0])}:${JSON.stringify(first[1])}${rest}`;
    yield badlyWritten(`${pointer} is given twice`, twice, 'request.duplicate-key', pointer);
  }
  const own = `{"__proto__":{}${rest}`;
  yield badlyWritten('/__proto__ is given', own, 'request.unsafe-key', '/__proto__');
  const lent = `{"constructor":{"prototype":{}}${rest}`;
  yield badlyWritten('/constructor holds prototype', lent, 'request.unsafe-key', '/constructor');
  const path = firstInteger(body, []);
  if (!path) return;
  const pointer = pointerOf(path);
  const unsafe = JSON.stringify(edited(body, path, JSON.parse(MARK))).replace(MARK, UNSAFE);
  yield badlyWritten(`${pointer} is ${UNSAFE}`, unsafe, 'request.unsafe-number', pointer);
}

function badlyWritten(
  name: string,
  text: string,
  rule: string,
  pointer = '',
  headers?: Record<string, string>,
): readonly Mutation[] {
  return [{ name, text, rules: [rule], pointers: [pointer], ...(headers && { headers }) }];
}

function firstInteger(value: JsonValue, path: Path): Path | undefined {
  if (Number.isInteger(value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [token, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = firstInteger(inner, [...path, token]);
    if (found) return found;
  }
  return undefined;
}
