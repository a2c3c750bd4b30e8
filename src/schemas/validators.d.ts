/** The schemas of all that people hand in, as Ajv compiled them: build/compile-validators.ts makes the module. */
import type { ValidateFunction } from 'ajv';

/** Checks `{ [kind]: value }`. */
export declare const validate: ValidateFunction;
