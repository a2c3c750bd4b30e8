import { findPlace, type Part } from '../../json/json-text.ts';
import { tokensOf } from '../../json/pointer.ts';

/** Where a value of a config file, or of a program's own settings, comes from. */
export interface ExtraSource {
  /** For messages: the config file's name, or `the settings given`. */
  where: string;
  /** Absolute; that from which file patterns start. */
  folder: string;
  /** The file's text, where it is JSON: a place in it has a line. */
  text?: string;
}

/**
 * What is meant and where it stands, for messages: `suppressions[2].reason in patchgate.config.json:12:5`.
 *
 * @param pointer JSON Pointer in the config: `/suppressions/2/reason`
 * @param part its value, or the name of the member
 */
export function placed(pointer: string, source: ExtraSource, part: Part = 'value'): string {
  return `${memberAt(pointer)} in ${placeIn(source, pointer, part)}`;
}

/** What is meant, as a program would write it: `suppressions[2].reason`. */
export function memberAt(pointer: string): string {
  return tokensOf(pointer).reduce((path, token) => {
    if (/^\d+$/.test(token)) return `${path}[${token}]`;
    if (!/^[\w$]+$/.test(token)) return `${path}[${JSON.stringify(token)}]`;
    return path === '' ? token : `${path}.${token}`;
  }, '');
}

/** The place alone: `patchgate.config.json:12:5`; `patchgate.config.mjs` where nobody knows the line. */
export function placeIn({ where, text }: ExtraSource, pointer: string, part: Part = 'value'): string {
  if (text === undefined) return where;
  const { line, column } = findPlace(text, pointer, part);
  return `${where}:${line}:${column}`;
}
