import { basename } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { messageOf, PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { checkSchema } from './check-schema.ts';
import { requestFinding } from './request-rules.ts';
import { partAt, type Shape, shapeOf } from './schema-shape.ts';

/** An operation with its schemas compiled. */
export interface LoadedOperation {
  name: string;
  entry: OperationEntry;
  /** One for each media type; the first judges a body whose type is not said. */
  bodies: readonly [JudgedBody, ...JudgedBody[]];
}

/** What one schema says of a body. */
export interface JudgedBody {
  /** In lower case; undefined: any JSON. */
  mediaType: string | undefined;
  /**
   * What the schema has to say of a body.
   *
   * @param bounds counts what is too much
   * @param isLarge only the first error counts: to find all of them could take too long
   */
  check(body: JsonValue, bounds?: FindingBounds, isLarge?: boolean): Finding[];
  /** What the schema says of the shape of a body. */
  shape: Shape;
}

/** The operations of `contract.json` with the schema files beside it. Schemas are compiled when first asked for. */
export interface Contract {
  /** Where it was read from. */
  file: string;
  entries: Readonly<Record<string, OperationEntry>>;
  /** @throws PatchgateError `bad-contract` where the schema does not compile */
  load(operation: string): LoadedOperation;
}

/** What checks bodies, by the schema's file, or a place in it. @throws PatchgateError `bad-contract` where it does not compile */
export type ValidatorOf = (reference: string, isLarge: boolean) => ValidateFunction;

/** @param schemas by file name */
export function contractOf(
  file: string,
  entries: Contract['entries'],
  schemas: ReadonlyMap<string, unknown>,
  validatorOf: ValidatorOf,
): Contract {
  const loaded = new Map<string, LoadedOperation>();
  const bodyOf = (name: string, reference: string, mediaType: string | undefined): JudgedBody => {
    const part = partAt(reference, undefined, schemas);
    if (part.at === undefined) {
      const message = `${file}: operation ${name} names the schema ${reference}, which is not there`;
      const hint = `put ${reference.split('#')[0]} beside ${basename(file)}`;
      throw new PatchgateError('bad-contract', message, { hint });
    }
    validatorOf(reference, false);
    return {
      mediaType: mediaType?.toLowerCase(),
      check(body, bounds = new FindingBounds(), isLarge = false) {
        try {
          return checkSchema(validatorOf(reference, isLarge), body, bounds);
        } catch (error) {
          return [notJudged(reference, error)];
        }
      },
      shape: shapeOf([part], schemas),
    };
  };
  return {
    file,
    entries,
    load(name) {
      const known = loaded.get(name);
      if (known) return known;
      const entry = entries[name] as OperationEntry;
      const named = entry.schemas ? Object.entries(entry.schemas) : [[undefined, entry.schema] as const];
      const bodies = named.map(([mediaType, reference]) => bodyOf(name, String(reference), mediaType));
      const operation = { name, entry, bodies: bodies as [JudgedBody] };
      loaded.set(name, operation);
      return operation;
    },
  };
}

/** Whether a value of some type is refused: a schema that takes everything judges nothing. */
export function refusesSomething({ check }: JudgedBody): boolean {
  return [null, true, 0, '', [], {}].some((body) => check(body).some(({ severity }) => severity === 'error'));
}

/** Schemas that go round in a circle, and patterns on long texts, can take more of the stack than there is. */
function notJudged(schema: string, error: unknown): Finding {
  const message = `the body cannot be held against ${schema}: ${messageOf(error)}`;
  return requestFinding('request.too-large', message, {
    hint: 'send shorter texts, or correct the pattern or the reference in the schema that has no end',
  });
}
