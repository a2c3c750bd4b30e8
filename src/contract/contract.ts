import type { JsonValue } from '../json/json.ts';
import type { OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import type { FindingBounds } from '../model/finding-bounds.ts';
import type { Shape } from './schema-shape.ts';

/** An operation with its schema compiled. */
export interface LoadedOperation {
  name: string;
  entry: OperationEntry;
  /** What the schema has to say of a body; what is too much is counted in `bounds`. */
  check(body: JsonValue, bounds?: FindingBounds): Finding[];
  /** What the schema says of the shape of a body. */
  shape: Shape;
  /** The schema itself, for those who make bodies of it. */
  schema: object | boolean;
  /** All schemas of the contract by file, for references. */
  schemas: ReadonlyMap<string, object | boolean>;
}

/** The operations of `contract.json` with the schema files beside it. Schemas are compiled when first asked for. */
export interface Contract {
  /** Where it was read from. */
  file: string;
  entries: Readonly<Record<string, OperationEntry>>;
  /** @throws PatchgateError `bad-contract` where the schema does not compile */
  load(operation: string): LoadedOperation;
}
