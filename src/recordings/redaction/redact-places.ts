import { Char } from '../../json/json-lexer.ts';
import { escapeToken } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import type { OnFound } from './found-secret.ts';
import { endOfString, endOfValue, PLACEHOLDER, unescaped } from './redact-named.ts';
import { SplicedText } from './spliced-text.ts';

/** An object or list that is open, with the token of the place that comes next. */
interface Level {
  pointer: string;
  node: PatternNode;
  /** An index, or the name that was read last. */
  token: number | string;
  /** The next string is a name. */
  takesName: boolean;
}

/**
 * Replaces the values at places in whatever holds JSON documents, one or many, the last one perhaps cut: each is walked
 * as far as it can be read, and begins anew at the next brace or bracket.
 */
export function redactPlaces(text: string, patterns: PatternNode, onFound?: OnFound): string {
  const clean = new SplicedText(text);
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const level = levels.at(-1);
    if (level === undefined && char !== Char.OpenBrace && char !== Char.OpenBracket) continue;
    if (char === Char.CloseBrace || char === Char.CloseBracket) levels.pop();
    else if (level !== undefined && char === Char.Comma) {
      if (typeof level.token === 'number') level.token++;
      else level.takesName = true;
    } else if (level?.takesName && char === Char.Quote) {
      const end = endOfString(text, at);
      level.token = unescaped(text.slice(at + 1, end - 1));
      level.takesName = false;
      at = end - 1;
    } else if (char > Char.Space && char !== Char.Colon) {
      const node = level === undefined ? patterns : patternsBelow(level.node, level.token);
      const isOpened = char === Char.OpenBrace || char === Char.OpenBracket;
      if (node !== undefined && (node.isMeant || isOpened)) {
        const pointer = level === undefined ? '' : `${level.pointer}/${escapeToken(level.token)}`;
        if (node.isMeant) {
          const end = endOfValue(text, at);
          const value = text.slice(at, end);
          if (value !== PLACEHOLDER)
            onFound?.({ what: `the pointer ${pointer}`, place: pointer, isDetected: false, value });
          clean.replace(at, end, PLACEHOLDER);
          at = end - 1;
        } else {
          const isList = char === Char.OpenBracket;
          levels.push({ pointer, node, token: isList ? 0 : '', takesName: !isList });
        }
      } else if (isOpened || char === Char.Quote) at = endOfValue(text, at) - 1;
    }
  }
  return clean.toString();
}
