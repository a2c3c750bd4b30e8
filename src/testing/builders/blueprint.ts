import { loadContract } from '../../contract/load-contract.ts';
import { shippedContract } from '../../contract/shipped-contract.ts';
import { PatchgateError } from '../../errors.ts';
import { createGate, type Gate } from '../../gate/gate.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { OperationEntry } from '../../model/contract.ts';
import type { Finding } from '../../model/finding.ts';
import type { Rule } from '../../model/rule.ts';
import { RULES } from '../../rules/index.ts';
import { DEFAULT_CONTRACT } from '../../settings/config.ts';
import type { UserConfig } from '../../settings/define-config.ts';
import { operationsHint } from '../with-hint.ts';
import type { BuilderOptions } from './builder-options.ts';
import type { Aim } from './fitting.ts';
import { FITTINGS } from './fittings.ts';
import { copyOf, type Part } from './form.ts';
import { type SchemaReader, schemaReader } from './forms.ts';
import { overlay } from './overlay.ts';

/** All that there is to know of an operation in order to make bodies of it. */
export interface Blueprint {
  operation: string;
  entry: OperationEntry;
  gate: Gate;
  id: string;
  /** What a body must be as, and how to read that. */
  parts: readonly Part[];
  reader: SchemaReader;
  /** The same without what the rules say; for what a schema objects to. */
  schemaParts: readonly Part[];
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

/**
 * Reads the contract, and puts together what its schema and its rules want of a body.
 *
 * @param isStrict whether warnings count as well
 * @throws PatchgateError `bad-usage` where the contract has no such operation, and what the contract's loading throws
 */
export function blueprintOf(operation: string, options: BuilderOptions, isStrict: boolean): Blueprint {
  const { customRules = {}, rules: severities = {} } = options;
  const location = options.contract ?? DEFAULT_CONTRACT;
  const contract = shippedContract(location) ?? loadContract(location);
  const guard = guardOf(options.guard);
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
  const path = pathOf(entry, id);
  const known = options.state as JsonObject | undefined;
  const circumstances = { known: known && { record: known, isWhole: true } };

  const own = customRules[operation] ?? [];
  const bound = entry.rules.flatMap((named) => {
    const { name, severity } = typeof named === 'string' ? { name: named, severity: undefined } : named;
    // To one that is unknown the gate has something to say itself.
    const rule = RULES.find((one) => one.name === name);
    return rule ? [{ rule, severity: severities[name] ?? severity ?? rule.severity }] : [];
  });
  const counts = new Set(
    bound
      .filter(
        ({ rule, severity }) =>
          severity === 'error' || (isStrict && severity === 'warn') || (guard !== 'off' && rule.guards),
      )
      .map(({ rule }) => rule.name),
  );
  const fittings = Object.entries(FITTINGS).filter(([name]) => counts.has(name));
  const schemaParts = [{ document: schema, at: schema }];
  const fitted: Blueprint['fitted'] = (body, choose, broken) => {
    const copy = copyOf(body);
    if (isObject(copy))
      for (const [name, { apply }] of fittings) if (name !== broken) apply?.(copy, { id, known, choose });
    return copy;
  };
  return {
    ...{ operation, entry, gate, id, schemaParts, schemas, fitted },
    parts: [
      ...schemaParts,
      ...fittings.flatMap(([, { schema: more }]) => (more ? [{ document: more, at: more }] : [])),
    ],
    reader: schemaReader(schemas, isStrict || raisesSchema(severities)),
    rules: [...bound.map(({ rule }) => rule), ...own],
    objections(body) {
      const { findings } = gate.inspect(
        { method: entry.method, url: path, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify(body)) },
        undefined,
        circumstances,
      ).verdict;
      return isStrict ? findings : findings.filter(({ severity }) => severity === 'error');
    },
    mended(body, objections, choose) {
      const names = new Set(objections.map(({ rule }) => rule));
      let better = body;
      for (const { name, examples } of own) {
        const good = examples.passes[choose(examples.passes.length)];
        if (names.has(name) && good) better = overlay(better, good.body);
      }
      return better === body ? body : fitted(better, choose);
    },
  };
}

const JSON_HEADERS = ['content-type', 'application/json'];
/** The one that holds where nobody gives one. */
const BODY_LIMIT = 5 * 1024 * 1024;

/** Of a request, from what the base URL ends with: `/accounts/current/projects/42` */
export function pathOf({ path, parameters, record }: OperationEntry, id: string): string {
  return path.replace(/\{([^}]*)\}/g, (_, name: string) =>
    name === record.id ? encodeURIComponent(id) : (parameters[name]?.keywords?.[0] ?? '1'),
  );
}

/** Whether what a schema only warns of may be an error. */
function raisesSchema(severities: NonNullable<BuilderOptions['rules']>): boolean {
  return Object.entries(severities).some(
    ([name, severity]) => name.startsWith('schema.') && severity === 'error',
  );
}

function guardOf(guard: UserConfig['guard']): 'on' | 'off' {
  // Of the strict one too: what nobody knows is no matter of a body.
  return guard === undefined || guard === false || guard === 'off' ? 'off' : 'on';
}
