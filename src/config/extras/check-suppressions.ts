import { PatchgateError } from '../../errors.ts';
import type { FilePredicate } from './file-patterns.ts';
import type { ExtraSource } from './source.ts';

/** Findings that are not to count, and why. */
export interface Suppression {
  rule: string;
  /** Where: any of those that are given must hold. */
  files?: FilePredicate;
  /** JSON Pointer in the body, `*` for any one: `/languages`. */
  pointer?: string;
  reason: string;
  /** The last day on which it holds, `2026-12-31`. */
  expires?: string;
  /** For messages: `suppressions[2]`. */
  name: string;
}

/** `suppressions` of a config file. @throws PatchgateError `bad-config` */
export async function checkSuppressions(given: unknown, { where }: ExtraSource): Promise<Suppression[]> {
  if (given === undefined) return [];
  throw new PatchgateError('bad-config', `suppressions in ${where} must be a list`);
}
