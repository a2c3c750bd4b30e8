import fc, { type Arbitrary } from 'fast-check';
import { PatchgateError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { blueprintOf } from './builders/blueprint.ts';
import type { BuilderOptions } from './builders/builder-options.ts';
import { schemaReader } from './builders/forms.ts';
import { UNMADE } from './fast-check/drawing.ts';
import { ValueArbitraries } from './fast-check/value-arbitrary.ts';
import { orHint, withHint } from './with-hint.ts';

export interface ArbitraryOptions extends BuilderOptions {
  /** Bodies as well that the gate lets pass with warnings: values that were never seen, fields that no schema lists. */
  warnings?: boolean | undefined;
}

/** Bodies in a row that a rule may refuse. Of the shipped contract, none is. */
const MOST_REFUSED = 1000;

/**
 * `patchgate/fast-check`: bodies that the gate lets pass, made from the contract: `fc.property(arbitrary('updateProject'), …)`. It
 * has nothing to say of them, unless `warnings` are asked for. They shrink to the smallest body that passes.
 *
 * @throws PatchgateError `bad-usage` where the contract has no such operation; while bodies are drawn, `bad-contract` where rules
 *   refuse them all
 */
export function arbitrary<Body = JsonObject>(
  operation: string,
  options: ArbitraryOptions = {},
): Arbitrary<Body> {
  const isStrict = options.warnings !== true;
  const { parts, reader, schemas, fitted, objections, mended } = orHint(() =>
    blueprintOf(operation, options, isStrict),
  );
  const readers = isStrict ? [reader] : [reader, schemaReader(schemas, true)];
  const raw = new ValueArbitraries(readers).of(parts);
  const none = (why: string, hint = UNMADE) =>
    withHint(new PatchgateError('bad-contract', `no body of ${operation} could be made: ${why}`, { hint }));
  if (!raw) throw none('its schema takes no value');

  const own = new Set((options.customRules?.[operation] ?? []).map(({ name }) => name));
  let refused = 0;
  const settled = (value: JsonValue, seed: number): JsonValue | undefined => {
    const body = fitted(value, chooser(seed));
    const found = objections(body);
    if (found.length === 0) return body;
    const better = mended(body, found, chooser(seed));
    const [wrong] = better === body ? found : objections(better);
    if (wrong === undefined) return better;
    if (++refused >= MOST_REFUSED)
      throw none(
        `${wrong.message} (${wrong.rule})`,
        own.has(wrong.rule)
          ? 'a rule of your own needs an example that passes, from which bodies are made that do'
          : UNMADE,
      );
    return undefined;
  };
  return fc
    .tuple(raw, fc.nat())
    .map(([value, seed]) => settled(value, seed))
    .filter((body) => {
      if (body === undefined) return false;
      refused = 0;
      return true;
    }) as Arbitrary<unknown> as Arbitrary<Body>;
}

/** Draws from a seed, always the same; of 0, always the first. */
function chooser(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    const drawn = count > 0 ? state % count : 0;
    state = Math.floor(state / Math.max(1, count));
    return drawn;
  };
}
