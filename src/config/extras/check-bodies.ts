import { PatchgateError } from '../../errors.ts';
import type { FilePredicate } from './file-patterns.ts';
import type { ExtraSource } from './source.ts';

/** What the bodies of some files are judged as, where nothing in them says it: an operation's, or those of a PATCH to a path. */
export interface BodyMapping {
  files: FilePredicate;
  operation?: string;
  path?: string;
}

/** `bodies` of a config file: `[{ files: ["bodies/projects/**"], operation: "updateProject" }]`. @throws PatchgateError `bad-config` */
export async function checkBodies(given: unknown, { where }: ExtraSource): Promise<BodyMapping[]> {
  if (given === undefined) return [];
  throw new PatchgateError('bad-config', `bodies in ${where} must be a list`);
}
