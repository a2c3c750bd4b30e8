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
  /** Where the gate must find something; without a rule, something that the schema says. */
  pointers: readonly string[];
  rule?: string;
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
    const { rule, pointer, severity: found } = body.finding;
    const key = `${rule} ${pointer} ${found}`;
    if (rule.startsWith('schema.') && !EACH.includes(rule) && seen.has(key)) continue;
    seen.add(key);
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
  const { name, body, text = JSON.stringify(body), state, id = blueprint.id, rule, pointers } = mutation;
  const headers = { 'content-type': 'application/json', ...mutation.headers };
  const { method } = entry;
  const path = pathOf(entry, id);
  const request = { method, url: path, headers: Object.entries(headers).flat(), body: Buffer.from(text) };
  const known = state && { record: state, isWhole: true };
  const { findings, status } = gate.inspect(request, undefined, { known }).verdict;
  const found = findings.map(({ rule, severity, pointer }): GateFinding => ({ rule, severity, pointer }));
  const matches = (one: GateFinding) => (rule ? one.rule === rule : one.rule.startsWith('schema.'));
  // What is refused for comes before what only warns.
  const ranked = found.filter(matches).sort((a, b) => a.severity.localeCompare(b.severity));
  const meant = pointers.map((pointer) => ranked.find((one) => one.pointer === pointer));
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

/** Of these, each value at a place is one of its own; of any other rule, one is enough. */
const EACH = ['schema.type', 'schema.required', 'schema.field-case'];
const TEXTS = ['OTHER', '7', '', 'not a (URL', 'ftp://example.com/', 'x'];

/** For each value of an example, of a list the first, all that its schema could object to. The gate says to what it does. */
function* schemaMutations(
  { objections, schemas }: Blueprint,
  good: JsonValue,
): Iterable<readonly Mutation[]> {
  const said = JSON.stringify([...schemas.values()]);
  yield* below(good, [], good);

  function* below(body: JsonValue, path: Path, value: JsonValue): Iterable<readonly Mutation[]> {
    const place = pointerOf(path);
    const mutation = (at: string, what: string, instead: JsonValue, found = at): readonly Mutation[] => [
      { name: `${at || 'the body'} ${what}`, body: edited(body, path, instead), pointers: [found] },
    ];
    for (const [what, instead] of valuesInsteadOf(value, said)) yield mutation(place, what, instead);
    if (Array.isArray(value) && value[0] !== undefined) yield* below(body, [...path, 0], value[0]);
    if (!isObject(value)) return;
    for (const [at, what, instead, found = at] of membersInsteadOf(value))
      yield mutation(pointerOf([...path, at]), what, instead, pointerOf([...path, found]));
    for (const [name, inner] of Object.entries(value)) yield* below(body, [...path, name], inner);
    // Where an object takes further members like its own, what is said of these.
    const sibling = Object.values(value).findLast(isObject);
    const further = sibling && edited(body, [...path, 'further'], sibling);
    if (further && objections(further).length === 0) yield* below(further, [...path, 'further'], sibling);
  }
}

/** @param said by the schemas: what is beyond a bound is tried only where they have any */
function* valuesInsteadOf(value: JsonValue, said: string): Iterable<[what: string, instead: JsonValue]> {
  // What a careless client makes of it comes first.
  const text = typeof value === 'object' ? 'x' : String(value);
  for (const instead of [null, text, typeof value === 'number' ? 0.5 : 7, true, [], {}])
    if (kindOf(instead) !== kindOf(value)) yield [`is ${kindOf(instead)}`, instead];
  if (typeof value === 'string') {
    for (const instead of [value.toLowerCase(), value.toUpperCase(), ...TEXTS])
      if (instead !== value) yield [instead === '' ? 'is empty' : `is ${JSON.stringify(instead)}`, instead];
    if (said.includes('"maxLength"')) yield ['is too long', 'x'.repeat(10_001)];
  }
  if (typeof value === 'number')
    for (const instead of [value + (Number.isInteger(value) ? 1 : 0.001), -1e12, 1e12])
      yield [`is ${instead}`, instead];
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    yield ['is empty', Array.isArray(value) ? [] : {}];
  if (Array.isArray(value) && value.length > 0) {
    yield ['has an item twice', [...value, value[0] as JsonValue]];
    if (said.includes('"maxItems"'))
      yield ['has too many items', Array.from({ length: 1000 }, () => value[0] as JsonValue)];
  }
}

/** Members as which an object has one less, one more, or one under another name; and where the gate finds that. */
function* membersInsteadOf(
  value: JsonObject,
): Iterable<[member: string, what: string, instead: JsonObject, found?: string]> {
  for (const name of Object.keys(value)) {
    const { [name]: _, ...instead } = value;
    yield [name, 'is missing', instead];
  }
  yield ['unlisted', 'is no listed field', { ...value, unlisted: true }];
  for (const name of Object.keys(value))
    for (const to of misspellings(name)) {
      const members = Object.entries(value).map(([own, inner]) => [own === name ? to : own, inner]);
      yield [name, `is spelt ${to}`, Object.fromEntries(members), to];
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
        ...{ name: `${rule} at ${at}`, body, rule, pointers },
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
const MARK = 'the place of a number';

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
  const beginning = (members: string) => `{${members}${first ? `,${text.slice(1)}` : '}'}`;
  if (first) {
    const pointer = pointerOf([first[0]]);
    const twice = beginning(JSON.stringify({ [first[0]]: first[1] }).slice(1, -1));
    yield badlyWritten(`${pointer} is given twice`, twice, 'request.duplicate-key', pointer);
  }
  const own = beginning('"__proto__":{}');
  yield badlyWritten('/__proto__ is given', own, 'request.unsafe-key', '/__proto__');
  const lent = beginning('"constructor":{"prototype":{}}');
  yield badlyWritten('/constructor holds prototype', lent, 'request.unsafe-key', '/constructor');
  const path = firstInteger(body, []);
  if (!path) return;
  const pointer = pointerOf(path);
  const unsafe = JSON.stringify(edited(body, path, MARK)).replace(JSON.stringify(MARK), UNSAFE);
  yield badlyWritten(`${pointer} is ${UNSAFE}`, unsafe, 'request.unsafe-number', pointer);
}

function badlyWritten(
  name: string,
  text: string,
  rule: string,
  pointer = '',
  headers: Record<string, string> = {},
): readonly Mutation[] {
  return [{ name, text, rule, pointers: [pointer], headers }];
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
