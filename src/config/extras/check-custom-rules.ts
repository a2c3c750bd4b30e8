import { PatchgateError } from '../../errors.ts';
import type { Rule } from '../../model/rule.ts';
import type { ExtraSource } from './source.ts';

/** `customRules` of a config file: rules by the operation that they apply to. @throws PatchgateError `bad-config` */
export function checkCustomRules(given: unknown, { where }: ExtraSource): Record<string, Rule[]> {
  if (given === undefined) return {};
  throw new PatchgateError('bad-config', `customRules in ${where} must be an object`);
}
