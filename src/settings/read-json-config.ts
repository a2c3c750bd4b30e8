import { readFileSync } from 'node:fs';
import { messageOf, PatchgateError } from '../errors.ts';
import { faultOf, placeAt } from '../json/json-text.ts';

/**
 * A config file in JSON, in UTF-8; a byte order mark is skipped.
 *
 * @param where its name, for messages
 * @throws PatchgateError `bad-config` with line and column: a break of the grammar, a name that comes twice in one object
 */
export function readJsonConfig(file: string, where: string): { content: unknown; text: string } {
  const text = readText(file, where);
  const wrong = faultOf(text);
  if (wrong) {
    const { line, column } = placeAt(text, wrong.offset);
    throw new PatchgateError('bad-config', `${where}:${line}:${column}: ${wrong.message}`, {
      hint: hintAt(text, wrong.offset),
    });
  }
  return { content: JSON.parse(text), text };
}

/** What editors take in their own settings, and JSON does not. */
function hintAt(text: string, offset: number): string {
  if (text[offset] === '/') return 'JSON has no comments: take them out, or write a patchgate.config.mjs';
  const isAfterComma = text.slice(0, offset).trimEnd().endsWith(',');
  if (isAfterComma && /[\]}]/.test(text[offset] ?? ''))
    return 'JSON has no comma after the last one: take it out';
  return 'correct the JSON';
}

function readText(file: string, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not in UTF-8' : messageOf(error);
    throw new PatchgateError('bad-config', `cannot read the config file ${where}: ${why}`, {
      hint: 'it must be a file in UTF-8 that can be read',
      cause: error,
    });
  }
}
