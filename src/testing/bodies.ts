import { contractAt, judgingGate } from '../app/compose-gate.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { Finding, Severity } from '../model/finding.ts';
import type { Rule } from '../model/rule.ts';
import { RULES } from '../rules/index.ts';
import { resolveConfig } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { mutations } from './mutations.ts';
import { misuse, operationsHint, orHint } from './with-hint.ts';

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
  /** Of the gate's answer; absent if it lets the request pass, with warnings. */
  status?: number;
}

/**
 * The contract's own example of a body: `await example('updateFeature')`. Each call makes a new one.
 *
 * @param changes members that take the place of its own; `undefined` takes one away. They are not judged
 * @param settings as in a config file; `contract` alone counts
 * @throws PatchgateError `bad-usage` where the contract has no such operation, `bad-contract` where it has no example of it
 */
export async function example<Body = JsonObject>(
  operation: string,
  changes: object = {},
  settings: UserConfig = {},
): Promise<Body> {
  const { good } = await exampleOf(operation, settings);
  const body = isObject(good) ? { ...structuredClone(good), ...changes } : changes;
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
  const { entry, good, rules, gate } = await exampleOf(operation, settings);
  const path = pathOf(entry);
  const bodies: InvalidBody[] = [];
  for (const [name, body, isMeant] of [...broken(good), ...refused(rules, good)]) {
    const { findings, status } = judged(gate, entry, path, body);
    const finding = findings.find(isMeant);
    if (!finding) continue;
    const request = { operation, method: entry.method, path, body: structuredClone(body) };
    bodies.push({ name, ...request, finding, findings, ...(status !== undefined && { status }) });
  }
  return bodies;
}

function exampleOf(operation: string, settings: UserConfig) {
  return orHint(async () => {
    const { config } = await resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
    const { file, entries } = await contractAt(config.contract);
    const entry = Object.hasOwn(entries, operation) ? entries[operation] : undefined;
    if (!entry)
      throw misuse(
        `the contract has no operation ${JSON.stringify(operation)}`,
        operationsHint(operation, Object.keys(entries)),
      );
    if (entry.example === undefined)
      throw new PatchgateError('bad-contract', `${file} has no example of ${operation}`, {
        hint: `give it one: "example": { "recordId": "42", "body": { … } } in operations.${operation}`,
      });
    const named = entry.rules.map((rule) => (typeof rule === 'string' ? rule : rule.name));
    const rules = [
      ...RULES.filter(({ name }) => named.includes(name)),
      ...(config.customRules[operation] ?? []),
    ];
    return { entry, good: entry.example.body, rules, gate: await judgingGate(config) };
  });
}

/** `/accounts/current/projects/42` */
function pathOf({ path, parameters, record, example }: OperationEntry): string {
  return path.replace(/\{([^}]*)\}/g, (_, name: string) =>
    name === record?.id
      ? encodeURIComponent(example?.recordId ?? '42')
      : (parameters[name]?.keywords?.[0] ?? '1'),
  );
}

function judged(gate: Gate, { method }: OperationEntry, url: string, body: JsonValue) {
  const headers = ['content-type', 'application/json'];
  const { verdict } = gate.inspect({ method, url, headers, body: Buffer.from(JSON.stringify(body)) });
  const findings = verdict.findings.map(
    ({ rule, severity, pointer }: Finding): GateFinding => ({ rule, severity, pointer }),
  );
  return { findings, status: verdict.status };
}

/** What is wrong with a body, and whether a finding is of it. */
type Broken = [name: string, body: JsonValue, isMeant: (finding: GateFinding) => boolean];

function* broken(good: JsonValue): Iterable<Broken> {
  // A text as the body would be judged as text.
  const other = (value: JsonValue, isBody: boolean) => (isBody ? [] : typeof value === 'string' ? 7 : 'x');
  for (const { name, place, body } of mutations(good, (...of) => [null, other(...of)], 1))
    yield [name, body, ({ rule, pointer }) => rule.startsWith('schema.') && pointer === place];
}

/** What each rule refuses in its first example, laid over a good body; but for those that need to know the record before. */
function* refused(rules: readonly Rule[], good: JsonValue): Iterable<Broken> {
  for (const { name, examples } of rules) {
    const [first] = examples.fails.filter(({ known, effects }) => !known && !effects);
    if (!first || !isObject(first.body) || !isObject(good)) continue;
    yield [name, { ...good, ...first.body }, ({ rule }) => rule === name];
  }
}
