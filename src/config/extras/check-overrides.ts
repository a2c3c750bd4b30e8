import { PatchgateError } from '../../errors.ts';
import type { SeverityOverride } from '../../model/severity-override.ts';
import type { ExtraSource } from './source.ts';

/**
 * `overrides` of a config file: `[{ files: ["legacy/**"], rules: { "schema.unknown-field": "off" } }]`; with `paths`, of requests.
 *
 * @throws PatchgateError `bad-config`
 */
export async function checkOverrides(given: unknown, { where }: ExtraSource): Promise<SeverityOverride[]> {
  if (given === undefined) return [];
  throw new PatchgateError('bad-config', `overrides in ${where} must be a list`);
}
