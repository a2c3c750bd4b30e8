import type { Severity } from '../../model/finding.ts';
import { orHint } from '../with-hint.ts';
import { type Blueprint, blueprintOf, pathOf } from './blueprint.ts';
import type { BuilderOptions } from './builder-options.ts';
import { exampleOf } from './example-of.ts';
import { copyOf } from './form.ts';
import type { GateFinding, InvalidBody, Slip } from './invalid-body.ts';
import { requestSlips } from './request-slips.ts';
import { ruleSlips } from './rule-slips.ts';
import { schemaSlips } from './schema-slips.ts';

export interface InvalidBodiesOptions extends Omit<BuilderOptions, 'state'> {
  /** `error`: without those that the gate lets pass with a warning. */
  severity?: Severity | undefined;
}

/**
 * Everything that can be wrong with a body of an operation, one thing at a time, each with the finding that the gate must give:
 * `test.each(invalidBodies('updateProject'))('$name', ({ text, finding }) => …)`. Made from `example(operation)`: each place that
 * the schema says something of, each example that a rule finds something in, and what is wrong with any JSON. The same each time.
 *
 * @throws PatchgateError as `example` does
 */
export function invalidBodies(operation: string, options: InvalidBodiesOptions = {}): InvalidBody[] {
  return orHint(() => bodiesOf(operation, options));
}

function bodiesOf(operation: string, options: InvalidBodiesOptions): InvalidBody[] {
  const { severity, ...settings } = options;
  const blueprint = blueprintOf(operation, { ...settings, state: undefined }, true);
  const good = exampleOf(blueprint);
  const names = new Map<string, number>();
  const bodies: InvalidBody[] = [];
  const add = (tried: readonly Slip[]) => {
    let best: InvalidBody | undefined;
    for (const slip of tried) best ??= judge(blueprint, slip);
    if (!best || (severity === 'error' && best.finding.severity !== 'error')) return;
    const count = (names.get(best.name) ?? 0) + 1;
    names.set(best.name, count);
    bodies.push(count === 1 ? best : { ...best, name: `${best.name} (${count})` });
  };
  for (const slip of schemaSlips(blueprint, good)) add([slip]);
  for (const slips of ruleSlips(blueprint, good)) add(slips);
  for (const slip of requestSlips(good)) add([slip]);
  return bodies;
}

/** What the gate says of a slip; undefined where that is not what it is about: a schema can take it in another way. */
function judge({ operation, entry, gate, ...blueprint }: Blueprint, slip: Slip): InvalidBody | undefined {
  const { name, body, text = JSON.stringify(body), state, id = blueprint.id, expected } = slip;
  const headers = { 'content-type': 'application/json', ...slip.headers };
  const { method } = entry;
  const path = pathOf(entry, id);
  const request = { method, url: path, headers: Object.entries(headers).flat(), body: Buffer.from(text) };
  const circumstances = { known: state && { record: state, isWhole: true } };
  const { findings, status } = gate.inspect(request, undefined, circumstances).verdict;
  const found = findings.map(({ rule, severity, pointer }): GateFinding => ({ rule, severity, pointer }));
  const meant = expected.map(({ rule, pointer }) =>
    found.find((one) => one.rule === rule && one.pointer === pointer),
  );
  const [finding] = meant;
  if (!finding || meant.includes(undefined)) return undefined;
  // A warning that something else turns into a refusal is no example of a warning.
  if (finding.severity === 'warn' && status !== undefined) return undefined;
  return {
    ...{ name, operation, method, path, id, headers },
    // Each is its own: what a test does to one is not seen in the others.
    ...(body !== undefined && { body: copyOf(body) }),
    text,
    ...(state && { state: copyOf(state) }),
    finding,
    findings: found,
    ...(status !== undefined && { status }),
  };
}
