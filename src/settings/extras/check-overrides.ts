import { PatchgateError } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import type { PathGlobs, SeverityOverride } from '../../model/severity-override.ts';
import { shownValue } from '../shown-value.ts';
import { checkRules } from './check-rules.ts';
import { filePatterns } from './file-patterns.ts';
import { areGlobs, arePathGlobs, PATH_GLOB_OPTIONS, PATH_GLOBS } from './globs.ts';
import { type ExtraSource, placed } from './source.ts';
import { unknownMember } from './unknown-member.ts';

const MEMBERS = ['files', 'paths', 'rules'];
const EXAMPLE = '{ "paths": ["/accounts/*/drafts/**"], "rules": { "schema.unknown-field": "off" } }';

/**
 * `overrides` of a config file: severities for the requests of some files (globs from the config file's folder), of some paths, or
 * both: `[{ files: ["legacy/**"], rules: { "schema.unknown-field": "off" } }]`. Whether there are such rules and paths, only the
 * gate knows.
 *
 * @throws PatchgateError `bad-config`, naming the place
 */
export async function checkOverrides(given: unknown, source: ExtraSource): Promise<SeverityOverride[]> {
  if (given === undefined) return [];
  const fail = (pointer: string, what: string, hint: string, part?: 'name') =>
    new PatchgateError('bad-config', `${placed(`/overrides${pointer}`, source, part)}${what}`, { hint });
  if (!Array.isArray(given)) throw fail('', ' must be a list', `[${EXAMPLE}]`);
  return Promise.all(given.map(checkOne));

  async function checkOne(entry: unknown, index: number): Promise<SeverityOverride> {
    const at = `/${index}`;
    if (!isObject(entry)) throw fail(at, ' must be an object', EXAMPLE);
    const unknown = unknownMember(entry, MEMBERS);
    if (unknown) throw fail(`${at}/${escapeToken(unknown.member)}`, ' is not known', unknown.hint, 'name');
    const files = globsAt(entry.files, areGlobs, `${at}/files`, 'a glob or a list of globs: ["legacy/**"]');
    const paths = globsAt(entry.paths, arePathGlobs, `${at}/paths`, PATH_GLOBS);
    if (!files && !paths) {
      const hint = 'say where with files or paths; what holds everywhere stands in rules';
      throw fail(at, ' says nothing of the place', hint);
    }
    const rules = checkRules(entry.rules, source, `/overrides${at}/rules`);
    if (Object.keys(rules).length === 0) throw fail(`${at}/rules`, ' names no rule', EXAMPLE);
    return {
      ...(files && { ofFile: await filePatterns(files, source.folder) }),
      ...(paths && { paths: await pathGlobs(paths) }),
      rules,
    };
  }

  /** One glob is a list of one. */
  function globsAt(
    value: unknown,
    areTaken: typeof areGlobs,
    pointer: string,
    takes: string,
  ): string[] | undefined {
    if (value === undefined) return undefined;
    if (areTaken(value)) return [value].flat();
    throw fail(pointer, `: ${shownValue(value)} is not taken`, `it takes ${takes}`);
  }
}

async function pathGlobs(globs: readonly string[]): Promise<PathGlobs> {
  const { default: picomatch } = await import('picomatch');
  return { globs, compile: (glob) => picomatch(glob, PATH_GLOB_OPTIONS) };
}
