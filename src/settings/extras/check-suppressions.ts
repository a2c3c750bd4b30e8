import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { isPointerPattern } from '../../json/pointer-pattern.ts';
import { shownValue } from '../shown-value.ts';
import { type FilePredicate, filePatterns } from './file-patterns.ts';
import { areGlobs, arePathGlobs, PATH_GLOBS } from './globs.ts';
import { type PathPredicate, pathPatterns } from './path-patterns.ts';
import { type ExtraSource, placed } from './source.ts';
import { unknownMember } from './unknown-member.ts';

/** Findings that are not to count, and why. */
export interface Suppression {
  rule: string;
  /** Where: all of those that are given must hold, and one of them is. */
  files?: FilePredicate;
  paths?: PathPredicate;
  /** JSON Pointer of the finding, `*` for any one member or item. */
  pointer?: string;
  reason: string;
  /** The last day on which it holds, in UTC: `2026-12-31`. */
  expires?: string;
  /** For messages: `suppressions[2]`, and `suppressions[2].rule in patchgate.config.json:12:5`. */
  name: string;
  rulePlace: string;
}

const EXAMPLE =
  '{ "rule": "schema.unknown-field", "files": ["legacy/**"], "reason": "sent by the old client" }';

/** `suppressions` of a config file. Whether there are such rules, only the gate knows. @throws PatchgateError `bad-config` */
export async function checkSuppressions(given: unknown, source: ExtraSource): Promise<Suppression[]> {
  if (given === undefined) return [];
  const fail = (pointer: string, what: string, hint: string, part?: 'name') =>
    new PatchgateError('bad-config', `${placed(`/suppressions${pointer}`, source, part)}${what}`, { hint });
  if (!Array.isArray(given)) throw fail('', ' must be a list', `[${EXAMPLE}]`);
  return Promise.all(given.map(checkOne));

  async function checkOne(entry: unknown, index: number): Promise<Suppression> {
    const name = `suppressions[${index}]`;
    if (!isObject(entry)) throw fail(`/${index}`, ' must be an object', EXAMPLE);
    const unknown = unknownMember(entry, Object.keys(TAKES));
    if (unknown)
      throw fail(`/${index}/${escapeToken(unknown.member)}`, ' is not known', unknown.hint, 'name');
    for (const [member, { isTaken, takes, mayMiss }] of Object.entries(TAKES)) {
      const value = entry[member];
      if (value === undefined ? mayMiss : isTaken(value)) continue;
      const what = value === undefined ? ' is missing' : `: ${shownValue(value)} is not taken`;
      throw fail(`/${index}/${member}`, what, `it takes ${takes}`);
    }
    if (entry.files === undefined && entry.paths === undefined && entry.pointer === undefined) {
      const hint = 'say where with files, paths or pointer; to turn the rule off everywhere, set it in rules';
      throw fail(`/${index}`, ' says nothing of the place', hint);
    }
    const { files, paths, ...plain } = entry as JsonObject & Written;
    return {
      ...plain,
      ...(files && { files: await filePatterns([files].flat(), source.folder) }),
      ...(paths && { paths: await pathPatterns([paths].flat()) }),
      name,
      rulePlace: placed(`/suppressions/${index}/rule`, source),
    };
  }
}

/** As it is written, once it was checked. */
interface Written {
  rule: string;
  files?: string | string[];
  paths?: string | string[];
  pointer?: string;
  reason: string;
  expires?: string;
}

interface Member {
  takes: string;
  mayMiss: boolean;
  isTaken(value: unknown): boolean;
}

const TAKES: Readonly<Record<keyof Written, Member>> = {
  rule: { takes: "a rule's name: schema.unknown-field", mayMiss: false, isTaken: isText },
  files: { takes: 'a glob or a list of globs: ["legacy/**"]', mayMiss: true, isTaken: areGlobs },
  paths: { takes: PATH_GLOBS, mayMiss: true, isTaken: arePathGlobs },
  pointer: {
    takes: 'a JSON Pointer, with * for any one member or item: /environments/*/name',
    mayMiss: true,
    isTaken: (value) => typeof value === 'string' && isPointerPattern(value),
  },
  reason: { takes: 'a text: why its findings need not be mended', mayMiss: false, isTaken: isText },
  expires: { takes: 'the last day on which it holds: 2026-12-31', mayMiss: true, isTaken: isDay },
};

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // The 30th of February is read as the 2nd of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
