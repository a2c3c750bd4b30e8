import { basename } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { messageOf, PatchgateError } from '../errors.ts';
import { childOf, type JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { checkSchema } from './check-schema.ts';
import type { ReadBody } from './read-body.ts';
import { requestFinding } from './request-rules.ts';

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
  /** The findings of a body: a number that not every reader gets right is a warning in a place that the schema leaves open. */
  weighed(read: ReadBody): readonly Finding[];
  /** The schema says nothing of the body as a whole. */
  isOpen: boolean;
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
    const [schemaFile = '', place = ''] = reference.split('#');
    const schema = tokensOf(decodeURIComponent(place)).reduce<unknown>(childOf, schemas.get(schemaFile));
    if (schema === undefined) {
      const message = `${file}: operation ${name} names the schema ${reference}, which is not there`;
      const hint = `put ${schemaFile} beside ${basename(file)}`;
      throw new PatchgateError('bad-contract', message, { hint });
    }
    validatorOf(reference, false);
    const check: JudgedBody['check'] = (body, bounds = new FindingBounds(), isLarge = false) => {
      try {
        return checkSchema(validatorOf(reference, isLarge), body, bounds);
      } catch (error) {
        return [notJudged(reference, error)];
      }
    };
    return {
      mediaType: mediaType?.toLowerCase(),
      check,
      weighed: (read) => weighed(read, check),
      isOpen: SHAPING.every((keyword) => childOf(schema, keyword) === undefined),
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

/** A schema with one of these says something of the body as a whole. */
const SHAPING = ['type', 'enum', 'const', 'not'];

/** Holds the body against the schema with an object in the place of each such number: what is not open refuses that. */
function weighed({ findings, json: body }: ReadBody, check: JudgedBody['check']): readonly Finding[] {
  const isUnsafe = ({ rule }: Finding) => rule === 'request.unsafe-number';
  if (body === undefined || !findings.some(isUnsafe)) return findings;
  const probe = structuredClone(body);
  for (const { pointer } of findings.filter(isUnsafe)) {
    const tokens = tokensOf(pointer);
    const last = tokens.pop() ?? '';
    const holder = tokens.reduce<unknown>(childOf, probe);
    if (typeof holder === 'object' && holder !== null) Object.assign(holder, { [last]: {} });
  }
  const bounds = new FindingBounds();
  const refused = new Set(['']);
  for (const { severity, pointer } of check(probe, bounds)) if (severity === 'error') refused.add(pointer);
  if (bounds.omitted > 0) return findings;
  return findings.map(
    (finding): Finding =>
      isUnsafe(finding) && !refused.has(finding.pointer) ? { ...finding, severity: 'warn' } : finding,
  );
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
