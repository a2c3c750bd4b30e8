import { isUtf8 } from 'node:buffer';
import { syntaxErrorOf } from '../../../json/json-text.ts';
import { isTooDeep } from './value-end.ts';

/** Why a text is no JSON, and where, in UTF-16 code units from 0. */
export interface JsonBreak {
  offset: number;
  message: string;
  /** It is whole as far as it goes. */
  isCut: boolean;
}

/** A word or an escape of which the end is missing. */
const HALF = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\\(?:u[\da-f]{0,3})?)$/i;

/** Of bytes that may not even be text. Undefined where they are JSON. */
export function jsonBreakOf(bytes: Buffer): JsonBreak | undefined {
  if (isTooDeep(bytes)) return { offset: 0, message: 'this is nested too deep', isCut: false };
  const text = bytes.toString('utf8');
  const error = syntaxErrorOf(text);
  if (error) {
    const { offset, message } = error;
    return { offset, message, isCut: offset >= text.trimEnd().length || HALF.test(text.slice(offset)) };
  }
  if (isUtf8(bytes)) return undefined;
  return { offset: text.indexOf('\ufffd'), message: 'this is not valid UTF-8', isCut: false };
}
