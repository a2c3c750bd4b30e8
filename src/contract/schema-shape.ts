import { childOf } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';

/** What a schema says of the shape of a value at one place: to be walked down beside a body. */
export interface Shape {
  /** Whether it says nothing: the contract leaves the value open, or does not list it. */
  readonly isOpen: boolean;
  /** That of a member's or an item's value. @param isContainer whether the value is an object or a list */
  below(token: string | number, isContainer: boolean): Shape;
}

/** @param schemas the others, by file, for references between them */
export function shapeOf(part: Part, schemas: ReadonlyMap<string, unknown>): Shape {
  return shapeAmong(spread(part, true, schemas), schemas);
}

/** A subschema, with the file that it is in. */
interface Part {
  document: unknown;
  at: unknown;
}

/** That of a value of which nothing is said. */
export const OPEN: Shape = { isOpen: true, below: () => OPEN };

/** @param parts all that apply to the value */
function shapeAmong(parts: readonly Part[], schemas: ReadonlyMap<string, unknown>): Shape {
  if (parts.length === 0) return OPEN;
  return {
    isOpen: !parts.some(({ at }) => SHAPING.some((keyword) => childOf(at, keyword) !== undefined)),
    below: (token, isContainer) =>
      shapeAmong(
        parts.flatMap(({ document, at }) =>
          spread({ document, at: stepOf(at, String(token)) }, isContainer, schemas),
        ),
        schemas,
      ),
  };
}

/** Stands for what is said in a way that is not read here: whatever it is, the value is not left open. */
const UNREAD = Object.freeze({ type: 'unread' });
const SHAPING = ['type', 'enum', 'const', 'not'];
/** Keywords that can say something of a member's or an item's value, and are not read here. */
const UNREAD_BELOW = [
  ...['patternProperties', 'prefixItems', 'unevaluatedProperties', 'unevaluatedItems', 'contains'],
  ...['dependentSchemas', '$dynamicRef', 'additionalItems', 'dependencies'],
];
const COMBINING = ['allOf', 'anyOf', 'oneOf'];

function stepOf(schema: unknown, token: string): unknown {
  if (schema === UNREAD || UNREAD_BELOW.some((keyword) => childOf(schema, keyword) !== undefined))
    return UNREAD;
  // In draft-07, each of the first items has a schema of its own.
  if (Array.isArray(childOf(schema, 'items'))) return UNREAD;
  return (
    childOf(childOf(schema, 'properties'), token) ??
    childOf(schema, 'items') ??
    childOf(schema, 'additionalProperties')
  );
}

/**
 * What a reference leads to, in a file or in another; undefined `at`: it is by an anchor, or into a schema that has an `$id` within
 * a file, and is not followed.
 */
export function partAt(reference: string, document: unknown, schemas: ReadonlyMap<string, unknown>): Part {
  const [file = '', fragment = ''] = reference.split('#');
  const other = file === '' ? document : (schemas.get(file) ?? schemaOf(file, document, schemas));
  const isPointer = fragment === '' || fragment.startsWith('/');
  const at = isPointer ? tokensOf(decodeURIComponent(fragment)).reduce<unknown>(childOf, other) : undefined;
  return { document: other, at };
}

/** The file whose absolute `$id` is that of a reference. */
function schemaOf(file: string, document: unknown, schemas: ReadonlyMap<string, unknown>): unknown {
  const base = idOf(document);
  const isRelative = !URL.canParse(file) && URL.canParse(file, base);
  const address = isRelative ? new URL(file, base).href : file;
  return [...schemas.values()].find((schema) => idOf(schema) === address);
}

function idOf(schema: unknown): string {
  return String(childOf(schema, '$id')).replace(/#$/, '');
}

/** A subschema with all that it refers to and combines. */
function spread(
  { document, at }: Part,
  isContainer: boolean,
  schemas: ReadonlyMap<string, unknown>,
  parts: Part[] = [],
): Part[] {
  // References can go round in a circle.
  if (typeof at !== 'object' || at === null || parts.some((part) => part.at === at)) return parts;
  parts.push({ document, at });
  const add = (further: unknown, within = document) =>
    spread({ document: within, at: further }, isContainer, schemas, parts);
  const reference = childOf(at, '$ref');
  if (typeof reference === 'string') {
    const referred = partAt(reference, document, schemas);
    add(referred.at ?? UNREAD, referred.document);
  }
  for (const keyword of COMBINING) {
    const branches = childOf(at, keyword);
    if (Array.isArray(branches)) for (const branch of branches) add(branch);
  }
  // `if` an object, `then` …: of anything else it says nothing.
  if (isContainer || childOf(childOf(at, 'if'), 'type') === undefined) add(childOf(at, 'then'));
  add(childOf(at, 'else'));
  return parts;
}
