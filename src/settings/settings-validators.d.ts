/** The schemas of schema.ts as Ajv compiled them: `compile-validators.ts` writes the module at build time. */
import type { ValidateFunction } from 'ajv';

export declare const config: ValidateFunction;
export declare const fault: ValidateFunction;
export declare const faultsGiven: ValidateFunction;
export declare const customRule: ValidateFunction;
export declare const fixtures: ValidateFunction;
