import { findPlace, type Part } from '../json/json-text.ts';
import { tokensOf } from '../json/pointer.ts';

/** Where values come from. */
export interface Source {
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
 * @param name pointer of the member whose name has the line, in the place of the value's
 */
export type PlaceOf = (pointer: string, name?: string) => string;

export function placed(source: Source, pointer: string, name?: string): string {
  const place = name === undefined ? placeIn(source, pointer) : placeIn(source, name, 'name');
  return pointer === '' ? place : `${memberAt(pointer)} in ${place}`;
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
export function placeIn({ where, text }: Source, pointer: string, part: Part = 'value'): string {
  if (text === undefined) return where;
  const { line, column } = findPlace(text, pointer, part);
  return `${where}:${line}:${column}`;
}
