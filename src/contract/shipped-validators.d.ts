/** The shipped contract's schemas as Ajv compiled them: build/compile-validators.ts makes the module. */
import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Of the texts that were compiled. */
export declare const digest: string;
/** By name of the schema's file. */
export declare const validators: Readonly<Record<string, ValidateFunction>>;
