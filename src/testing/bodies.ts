import { contractAt, judgingGate } from '../app/gate.ts';
import { PatchgateError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { Severity } from '../model/finding.ts';
import { RULES } from '../rules/index.ts';
import { resolveConfig } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { noOperation, withHint } from './misuse.ts';

/** A finding of the gate. */
export interface GateFinding {
  rule: string;
  severity: Severity;
  /** JSON Pointer of the place in the body; `""` for the request's own. */
  pointer: string;
}

/** A body with something wrong in it, and the gate's findings. */
export interface InvalidBody {
  /** `without /languages` */
  name: string;
  operation: string;
  method: string;
  /** Without the base path: `/accounts/current/projects/42` */
  path: string;
  body: JsonValue;
  /** The one of `findings` that `name` is about. */
  finding: GateFinding;
  findings: readonly GateFinding[];
  /** Of the gate's answer; undefined if it lets the request pass, with warnings. */
  status: number | undefined;
}

/**
 * The contract's own example of a body: `await example('updateFeature')`. Each call makes a new one.
 *
 * @param changes members that take the place of its own; `undefined` takes one away. They are not judged
 * @param settings as in a config file; `contract` alone counts
 * @throws PatchgateError `bad-usage` if the contract has no such operation, `bad-contract` if it has no example of it
 */
export async function example<Body = JsonObject>(
  operation: string,
  changes: object = {},
  settings: UserConfig = {},
): Promise<Body> {
  const { good } = await exampleOf(operation, settings);
  const body = { ...(structuredClone(good) as JsonObject), ...changes };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Body;
}

/**
 * Bodies with one thing wrong in each, and the finding that the gate gives: the contract's example without a member, with a value of
 * another type at each place, and with what the operation's rules refuse.
 *
 * @param settings as in a config file, those of `patchgate check`
 * @throws PatchgateError as `example` does
 */
export async function invalidBodies(operation: string, settings: UserConfig = {}): Promise<InvalidBody[]> {
  const { entry, good, config } = await exampleOf(operation, settings);
  const gate = await judgingGate(config);
  const { method } = entry;
  const path = pathOf(entry);
  const headers = ['content-type', 'application/json'];
  const bodies: InvalidBody[] = [];
  const add = (name: string, body: JsonValue, isMeant: (finding: GateFinding) => boolean) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const { findings, status } = gate.inspect({ method, url: path, headers, body: bytes }).verdict;
    const found = findings.map(({ rule, severity, pointer }) => ({ rule, severity, pointer }));
    const finding = found.find(isMeant);
    if (finding)
      bodies.push({
        name,
        operation,
        method,
        path,
        body: structuredClone(body),
        finding,
        findings: found,
        status,
      });
  };
  // A text as the body would be judged as text.
  const others = (value: JsonValue, place: string): JsonValue[] =>
    place === '' ? [null, []] : [null, typeof value === 'string' ? 7 : 'x'];
  for (const { name, place, body } of mutations(good, others, 1))
    add(name, body, ({ rule, pointer }) => rule.startsWith('schema.') && pointer === place);
  // Each rule's first example laid over a good body; but for those that need to know the record before.
  const named = entry.rules.map((rule) => (typeof rule === 'string' ? rule : rule.name));
  const own = config.customRules[operation] ?? [];
  for (const { name, examples } of [...RULES.filter((rule) => named.includes(rule.name)), ...own]) {
    const first = examples.fails.find(({ known, effects }) => !known && !effects)?.body;
    if (isObject(first) && isObject(good)) add(name, { ...good, ...first }, ({ rule }) => rule === name);
  }
  return bodies;
}

async function exampleOf(operation: string, settings: UserConfig) {
  try {
    const { config } = await resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
    const { file, entries } = await contractAt(config.contract);
    const entry = Object.hasOwn(entries, operation) ? entries[operation] : undefined;
    if (!entry) throw noOperation(operation, Object.keys(entries));
    if (entry.example !== undefined) return { entry, good: entry.example.body, config };
    throw new PatchgateError('bad-contract', `${file} has no example of ${operation}`, {
      hint: `give it one: "example": { "recordId": "42", "body": { … } } in operations.${operation}`,
    });
  } catch (error) {
    throw withHint(error);
  }
}

/** `/accounts/current/projects/42` */
function pathOf({ path, parameters, record, example }: OperationEntry): string {
  return path.replace(/\{([^}]*)\}/g, (_, name: string) =>
    name === record?.id
      ? encodeURIComponent(example?.recordId ?? '42')
      : (parameters[name]?.keywords?.[0] ?? '1'),
  );
}

/** A body with something else at one place. */
interface Mutation {
  /** `null at /name` */
  name: string;
  /** JSON Pointer. */
  place: string;
  body: JsonValue;
}

/**
 * A body with other values at each of its places, and without each of its members.
 *
 * @param others for a value, the values that take its place
 * @param most items of a list that are broken
 */
export function* mutations(
  body: JsonValue,
  others: (value: JsonValue, place: string) => readonly JsonValue[],
  most: number,
  path: readonly (string | number)[] = [],
): Iterable<Mutation> {
  const value = path.reduce<JsonValue>((inner, token) => (inner as JsonObject)[token] as JsonValue, body);
  const place = pointerOf(path);
  if (typeof path.at(-1) === 'string')
    yield { name: `without ${place}`, place, body: edited(body, path, undefined) };
  for (const other of others(value, place))
    yield {
      name: `${JSON.stringify(other)} ${place === '' ? 'as the body' : `at ${place}`}`,
      place,
      body: edited(body, path, other),
    };
  if (typeof value !== 'object' || value === null) return;
  const inner = Array.isArray(value) ? [...value.slice(0, most).keys()] : Object.keys(value);
  for (const name of inner) yield* mutations(body, others, most, [...path, name]);
}

/** A copy with another value at a place, or without the member there. */
function edited(
  body: JsonValue,
  path: readonly (string | number)[],
  value: JsonValue | undefined,
): JsonValue {
  const copy = { body: structuredClone(body) } as JsonObject;
  const whole = ['body', ...path];
  const last = whole.pop() as string;
  const holder = whole.reduce<JsonObject>((inner, token) => inner[token] as JsonObject, copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy.body as JsonValue;
}
