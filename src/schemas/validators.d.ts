/** The schemas of all that people hand in, as Ajv compiled them: `compile-validators.ts` writes the module at build time. */
import type { ValidateFunction } from 'ajv';

/** Checks `{ [kind]: value }`. */
export declare const validate: ValidateFunction;
