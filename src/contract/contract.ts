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

export interface LoadedOperation {
  name: string;
  entry: OperationEntry;
  /** One for each media type; the first judges a body whose type is not said. */
  bodies: readonly [JudgedBody, ...JudgedBody[]];
}

export interface JudgedBody {
  /** In lower case; undefined: any JSON. */
  mediaType: string | undefined;
  /** @param bounds counts findings past its limits. @param isLarge only the first error counts: to find all of them could take too long */
  check(body: JsonValue, bounds?: FindingBounds, isLarge?: boolean): Finding[];
  /** The schema says nothing of the body as a whole. */
  isOpen: boolean;
}

export interface Contract {
  file: string;
  entries: Readonly<Record<string, OperationEntry>>;
  /** Compiles an operation's schemas. @throws PatchgateError `bad-contract` if one does not compile */
  load(operation: string): LoadedOperation;
}

export function contractOf(
  file: string,
  entries: Contract['entries'],
  schemas: ReadonlyMap<string, unknown>,
  validatorOf: (reference: string, isLarge: boolean) => ValidateFunction,
): Contract {
  const bodyOf = (name: string, reference: string, mediaType?: string): JudgedBody => {
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
        // Schemas that go round in a circle, and patterns on long texts, can take more of the stack than there is.
        const message = `the body cannot be held against ${reference}: ${messageOf(error)}`;
        const hint =
          'send shorter texts, or correct the pattern or the reference in the schema that has no end';
        return [requestFinding('request.too-large', message, { hint })];
      }
    };
    const isOpen = ['type', 'enum', 'const', 'not'].every((name) => childOf(schema, name) === undefined);
    return { mediaType, check, isOpen };
  };
  return {
    file,
    entries,
    load(name) {
      const entry = entries[name] as OperationEntry;
      const named = Object.entries(entry.schemas ?? {});
      const bodies = named.map(([type, reference]) => bodyOf(name, reference, type.toLowerCase()));
      if (entry.schema !== undefined) bodies.push(bodyOf(name, entry.schema));
      return { name, entry, bodies: bodies as [JudgedBody] };
    },
  };
}

/** The findings of a body. A number that not every reader gets right is a warning if the schema takes an object in its place. */
export function weighed({ findings, json: body }: ReadBody, { check }: JudgedBody): readonly Finding[] {
  const unsafe = new Set(findings.filter(({ rule }) => rule === 'request.unsafe-number'));
  if (body === undefined || unsafe.size === 0) return findings;
  const probe = structuredClone(body);
  for (const { pointer } of unsafe) {
    const tokens = tokensOf(pointer);
    const last = tokens.pop() ?? '';
    const holder = tokens.reduce<unknown>(childOf, probe);
    if (typeof holder === 'object' && holder !== null) Object.assign(holder, { [last]: {} });
  }
  const bounds = new FindingBounds();
  const errors = check(probe, bounds).filter(({ severity }) => severity === 'error');
  const refused = new Set(['', ...errors.map(({ pointer }) => pointer)]);
  if (bounds.omitted > 0) return findings;
  const isTaken = (finding: Finding) => unsafe.has(finding) && !refused.has(finding.pointer);
  return findings.map((finding) => (isTaken(finding) ? { ...finding, severity: 'warn' } : finding));
}

/** Whether a value of some type is refused: a schema that takes everything judges nothing. */
export function refusesSomething({ check }: JudgedBody): boolean {
  return [null, true, 0, '', [], {}].some((body) => check(body).some(({ severity }) => severity === 'error'));
}
