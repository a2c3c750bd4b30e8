import { childOf } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';

/** What a schema says of the shape of a value at one place: to be walked down beside a body. */
export interface Shape {
  /** Whether it says nothing: the contract leaves the value open, or does not list it. */
  readonly isOpen: boolean;
  /** That of a member's or an item's value. */
  below(token: string | number): Shape;
}

/** That of a value of which nothing is said. */
export const OPEN: Shape = { isOpen: true, below: () => OPEN };

type Schemas = ReadonlyMap<string, unknown>;

/** A subschema, with the file that it is in. */
interface Part {
  document: unknown;
  at: unknown;
  /** It says something of objects or lists alone. */
  isOfContainers?: boolean;
}

/** Stands for what is said in a way that is not read here: whatever it is, the value is not left open. */
const UNREAD = { type: 'unread' };
const SHAPING = ['type', 'enum', 'const', 'not'];
/** Keywords that can say something of a member's or an item's value, and are not read here. */
const UNREAD_BELOW = [
  ...['patternProperties', 'prefixItems', 'unevaluatedProperties', 'unevaluatedItems', 'contains'],
  ...['dependentSchemas', '$dynamicRef'],
];

/** @param parts all that apply to the value. @param schemas the others, by file, for references between them */
export function shapeOf(parts: readonly Part[], schemas: Schemas): Shape {
  const all = parts.reduce<Part[]>((spreading, part) => spread(part, schemas, spreading), []);
  if (all.length === 0) return OPEN;
  const isShaping = ({ at, isOfContainers }: Part) =>
    !isOfContainers && SHAPING.some((keyword) => childOf(at, keyword) !== undefined);
  return {
    isOpen: !all.some(isShaping),
    below: (token) =>
      shapeOf(
        all.map(({ document, at }) => ({ document, at: stepOf(at, token) })),
        schemas,
      ),
  };
}

function stepOf(schema: unknown, token: string | number): unknown {
  if (schema === UNREAD || UNREAD_BELOW.some((keyword) => childOf(schema, keyword) !== undefined))
    return UNREAD;
  return (
    childOf(childOf(schema, 'properties'), token) ??
    childOf(schema, 'items') ??
    childOf(schema, 'additionalProperties')
  );
}

/** What a reference leads to, in a file or in another; undefined `at`: nothing, or it is by an anchor or an absolute `$id`. */
export function partAt(reference: string, document: unknown, schemas: Schemas): Part {
  const [file = '', fragment = ''] = reference.split('#');
  const other = file === '' ? document : schemas.get(file.replace(/^\.\//, ''));
  const isPointer = fragment === '' || fragment.startsWith('/');
  const at = isPointer ? tokensOf(decodeURIComponent(fragment)).reduce<unknown>(childOf, other) : undefined;
  return { document: other, at };
}

/** Adds a subschema with all that it refers to and combines. */
function spread(part: Part, schemas: Schemas, parts: Part[]): Part[] {
  const { document, at } = part;
  // References can go round in a circle.
  if (typeof at !== 'object' || at === null || parts.some((other) => other.at === at)) return parts;
  parts.push(part);
  const reference = childOf(at, '$ref');
  if (typeof reference === 'string') {
    const referred = partAt(reference, document, schemas);
    spread({ ...part, ...referred, at: referred.at ?? UNREAD }, schemas, parts);
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'else'])
    for (const branch of [childOf(at, keyword)].flat()) spread({ ...part, at: branch }, schemas, parts);
  // `if` an object, `then` …: of anything else it says nothing.
  const isOfContainers = part.isOfContainers || childOf(childOf(at, 'if'), 'type') !== undefined;
  return spread({ document, at: childOf(at, 'then'), isOfContainers }, schemas, parts);
}
