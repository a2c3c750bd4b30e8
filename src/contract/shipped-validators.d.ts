/** The shipped contract's schemas as Ajv compiled them: build/compile-validators.ts makes the module. */
import type { ValidateFunction } from 'ajv/dist/2020.js';

export declare const digest: string;
export declare const validators: Readonly<Record<string, ValidateFunction>>;
