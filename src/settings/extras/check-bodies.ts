import { PatchgateError } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { type FilePredicate, filePatterns } from './file-patterns.ts';
import { areGlobs } from './globs.ts';
import { type ExtraSource, placed } from './source.ts';
import { unknownMember } from './unknown-member.ts';

/** What the bodies of some files are judged as, where nothing in them says it: an operation's, or those of a PATCH to a path. */
export interface BodyMapping {
  files: FilePredicate;
  operation?: string;
  path?: string;
  /** For messages: `bodies[1].operation in patchgate.config.json:12:20`. */
  place: string;
}

const MEMBERS = ['files', 'operation', 'path'];
const EXAMPLE = '{ "files": ["bodies/projects/**"], "operation": "updateProject" }';

/**
 * `bodies` of a config file: `[{ files: ["bodies/projects/**"], operation: "updateProject" }]`, or `path` instead of `operation`.
 * Whether there is such an operation, only the gate knows.
 *
 * @throws PatchgateError `bad-config`
 */
export async function checkBodies(given: unknown, source: ExtraSource): Promise<BodyMapping[]> {
  if (given === undefined) return [];
  const fail = (pointer: string, what: string, hint: string, part?: 'name') =>
    new PatchgateError('bad-config', `${placed(`/bodies${pointer}`, source, part)} ${what}`, { hint });
  if (!Array.isArray(given)) throw fail('', 'must be a list', `[${EXAMPLE}]`);
  return Promise.all(given.map((entry, index) => checkOne(entry, `/${index}`)));

  async function checkOne(entry: unknown, at: string): Promise<BodyMapping> {
    if (!isObject(entry)) throw fail(at, 'must be an object', EXAMPLE);
    const unknown = unknownMember(entry, MEMBERS);
    if (unknown)
      throw fail(`${at}/${escapeToken(unknown.member)}`, 'is no member of it', unknown.hint, 'name');
    const { files, operation, path } = entry;
    if (!areGlobs(files))
      throw fail(`${at}/files`, 'must be a glob, or a list of globs', '"bodies/projects/**"');
    if ((operation === undefined) === (path === undefined)) {
      const what = operation === undefined ? 'has neither operation nor path' : 'has both operation and path';
      throw fail(at, what, `give one of the two: ${EXAMPLE}`);
    }
    const member = operation === undefined ? 'path' : 'operation';
    if (typeof entry[member] !== 'string' || entry[member] === '') {
      const hint = member === 'path' ? '"/accounts/current/projects/42"' : '"updateProject"';
      throw fail(`${at}/${member}`, 'must be a text', hint);
    }
    return {
      files: await filePatterns([files].flat(), source.folder),
      [member]: entry[member],
      place: placed(`/bodies${at}/${member}`, source),
    };
  }
}
