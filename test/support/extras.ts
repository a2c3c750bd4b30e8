import { resolveConfig } from '../../src/settings/config.ts';

/** As a program gives them. */
export async function checkOverrides(given: unknown, { folder }: { folder: string; where?: string }) {
  return (await resolveConfig({ overrides: given }, {}, {}, folder)).config.overrides;
}
