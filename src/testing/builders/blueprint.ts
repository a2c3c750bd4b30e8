import { loadContract } from '../../contract/load-contract.ts';
import type { Part } from '../../contract/schema-shape.ts';
import { shippedContract } from '../../contract/shipped-contract.ts';
import { PatchgateError } from '../../errors.ts';
import { createGate, type Gate } from '../../gate/gate.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../json/json.ts';
import type { OperationEntry } from '../../model/contract.ts';
import type { Finding } from '../../model/finding.ts';
import type { Rule } from '../../model/rule.ts';
import { RULES } from '../../rules/index.ts';
import { DEFAULT_CONTRACT } from '../../settings/config.ts';
import type { UserConfig } from '../../settings/define-config.ts';
import { copyOf } from '../edited.ts';
import { operationsHint } from '../with-hint.ts';
import { type Aim, FITTINGS } from './fittings.ts';
import { type FormReader, formReader } from './schema-forms.ts';

/** The settings that say what a good body is have the names that they have in a config file. */
export interface BuilderOptions extends Pick<UserConfig, 'contract' | 'rules' | 'customRules' | 'guard'> {
  /** Id of the record in the path; 42 unless given. */
  id?: number | string | undefined;
  /** The whole record before the request, as the service shows it: where the gate knows it, the body is to lose nothing of it. */
  state?: object | undefined;
}

/** All that there is to know of an operation in order to make bodies of it. */
export interface Blueprint {
  operation: string;
  entry: OperationEntry;
  gate: Gate;
  id: string;
  /** What a body must be as, and how to read that. Where warnings do not count, also a reader that leaves out what only warns. */
  parts: readonly Part[];
  readers: readonly [FormReader, ...FormReader[]];
  schemas: ReadonlyMap<string, unknown>;
  /** Every rule that applies. */
  rules: readonly Rule[];
  /** A copy of a body that its schema takes, made to satisfy the rules; but for one that it is to break. */
  fitted(body: JsonValue, choose: Aim['choose'], broken?: string): JsonValue;
  /** What keeps a body from being good. */
  objections(body: JsonValue): readonly Finding[];
  /** A body with what its rules say of it in the examples of a rule that passes them. */
  mended(body: JsonValue, objections: readonly Finding[], choose: Aim['choose']): JsonValue;
}

/** The one that holds where no other is given. */
const BODY_LIMIT = 5 * 1024 * 1024;

/**
 * Reads the contract, and puts together what its schema and its rules want of a body.
 *
 * @param isStrict whether warnings count as well
 * @throws PatchgateError `bad-usage` where the contract has no such operation, and what the contract's loading throws
 */
export function blueprintOf(operation: string, options: BuilderOptions, isStrict: boolean): Blueprint {
  const { contract: location = DEFAULT_CONTRACT, customRules = {}, rules: severities = {} } = options;
  const contract = shippedContract(location) ?? loadContract(location);
  // The strict guard is no matter of a body: it asks whether the record is known.
  const guard = !options.guard || options.guard === 'off' ? 'off' : 'on';
  const gate = createGate(contract, {
    ...{ validation: 'enforce', guard, unlisted: 'pass', severities, customRules, lazy: true },
    bodyLimit: BODY_LIMIT,
  });
  const entry = Object.hasOwn(contract.entries, operation) ? contract.entries[operation] : undefined;
  if (!entry)
    throw new PatchgateError('bad-usage', `the contract has no operation ${JSON.stringify(operation)}`, {
      hint: operationsHint(operation, gate.operations),
    });
  const { schema, schemas } = contract.load(operation);
  const id = String(options.id ?? 42);
  const url = pathOf(entry, id);
  const known = options.state as JsonObject | undefined;
  const circumstances = { known: known && { record: known, isWhole: true } };
  const own = customRules[operation] ?? [];
  const bound = entry.rules.flatMap((named) => {
    const { name, severity } = typeof named === 'string' ? { name: named, severity: undefined } : named;
    const rule = RULES.find((one) => one.name === name);
    return rule ? [{ rule, severity: severities[name] ?? severity ?? rule.severity }] : [];
  });
  const counts = ({ rule, severity }: (typeof bound)[number]) =>
    severity === 'error' || (isStrict && severity === 'warn') || (guard === 'on' && rule.guards);
  const counting = bound.filter(counts).map(({ rule }) => rule.name);
  const fittings = Object.entries(FITTINGS).filter(([name]) => counting.includes(name));
  const strict = formReader(schemas, true);
  // What a schema only warns of may be an error by the settings.
  const raises = Object.keys(severities).some(
    (name) => name.startsWith('schema.') && severities[name] === 'error',
  );
  const fitted: Blueprint['fitted'] = (body, choose, broken) => {
    const copy = copyOf(body);
    if (isObject(copy))
      for (const [name, { apply }] of fittings) if (name !== broken) apply?.(copy, { id, known, choose });
    return copy;
  };
  return {
    ...{ operation, entry, gate, id, schemas, fitted },
    parts: [
      { document: schema, at: schema },
      ...fittings.map(([, { schema: at }]) => ({ document: at, at })),
    ],
    readers: isStrict || raises ? [strict] : [strict, formReader(schemas, false)],
    rules: [...bound.map(({ rule }) => rule), ...own],
    objections(body) {
      const headers = ['content-type', 'application/json'];
      const request = { method: entry.method, url, headers, body: Buffer.from(JSON.stringify(body)) };
      const { findings } = gate.inspect(request, undefined, circumstances).verdict;
      return isStrict ? findings : findings.filter(({ severity }) => severity === 'error');
    },
    mended(body, objections, choose) {
      const broken = own.filter(({ name }) => objections.some(({ rule }) => rule === name));
      const good = broken.flatMap(({ examples: { passes } }) => passes[choose(passes.length)] ?? []);
      if (good.length === 0) return body;
      const better = good.reduce<JsonValue>((under, example) => overlay(under, example.body), body);
      return fitted(better, choose);
    },
  };
}

/** Of a request, from what the base URL ends with: `/accounts/current/projects/42` */
export function pathOf({ path, parameters, record }: OperationEntry, id: string): string {
  return path.replace(/\{([^}]*)\}/g, (_, name: string) =>
    name === record.id ? encodeURIComponent(id) : (parameters[name]?.keywords?.[0] ?? '1'),
  );
}

/** One value with all that it leaves out as another one has it. A list has as many items as it says. */
export function overlay(under: JsonValue | undefined, over: JsonValue): JsonValue {
  if (Array.isArray(over)) {
    const items = Array.isArray(under) ? under : [];
    return over.map((item, index) => overlay(items[index] ?? items.at(-1), item));
  }
  if (!isObject(over) || !isObject(under)) return copyOf(over);
  const laid = Object.entries(over).map(([name, value]) => [name, overlay(member(under, name), value)]);
  return { ...copyOf(under), ...Object.fromEntries(laid) };
}
