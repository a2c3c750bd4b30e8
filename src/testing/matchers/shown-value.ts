import { types } from 'node:util';
import { isRecord, type JsonValue } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import { shownJson } from '../../recordings/explain.ts';
import { redactText } from '../../recordings/redaction/redact.ts';
import { isSecretPointer } from '../../recordings/redaction/redact-finding.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import { shortened, visible } from '../../reporters/wording.ts';
import type { Runner } from './runner.ts';

/** Characters of a matcher that are shown; of a value it is fewer. */
const MOST = 120;

/** Writes what was expected or seen into one line of a message. @param pointer of a value within a body, or within the headers */
export type Show = (value: unknown, pointer?: string, part?: string) => string;

export function showing({ utils }: Runner, redaction: Redaction): Show {
  return (value, pointer = '', part = 'body') => {
    if (value === undefined) return 'nothing';
    if (part === 'headers' && tokensOf(pointer).some((name) => redaction.headers.has(name))) return REDACTED;
    if (isSecretPointer(tokensOf(pointer), redaction)) return REDACTED;
    if (isJson(value)) return visible(shownJson(value, redaction));
    const text = utils
      .stringify(value)
      .replace(/\n\s*/g, ' ')
      .replace(/,(?= [}\]])/g, '');
    return visible(shortened(redactText(text, redaction), MOST));
  };
}

/** Levels of what is taken for JSON; runners write what goes deeper, or round in circles. */
const MOST_LEVELS = 100;

/** Whether it is nothing but JSON, so that each runner would write it alike. */
function isJson(value: unknown, level = 0): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || level === MOST_LEVELS) return false;
  if (types.isRegExp(value) || 'asymmetricMatch' in value) return false;
  if (!Array.isArray(value) && !isRecord(value)) return false;
  return Object.values(value).every((one) => isJson(one, level + 1));
}
