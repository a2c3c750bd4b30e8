import type { JsonValue } from '../../json/json.ts';
import { matchesPattern } from '../../json/pointer-pattern.ts';
import type { Effect } from '../../model/effect.ts';
import type { Finding } from '../../model/finding.ts';
import { redactJson } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';

/** Whether a place in a body is hidden by its name or its pointer. @param tokens those of the pointer */
export function isSecretPointer(tokens: readonly string[], redaction: Redaction): boolean {
  return tokens.some((token) => redaction.members.has(token)) || matchesPattern(redaction.pointers, tokens);
}

/** Names are the users' own. A new one is hidden as the old one is. */
export function redactEffect(effect: Effect, redaction: Redaction): Effect {
  const clean = redactJson(effect as unknown as JsonValue, redaction) as unknown as Effect;
  const isNewName = 'to' in clean && typeof clean.to === 'string' && redaction.members.has('name');
  return isNewName ? ({ ...clean, to: REDACTED } as Effect) : clean;
}

/**
 * A finding that quotes no secret. A value that is quoted may be cut, so that it no longer looks like what it is.
 *
 * @param isSecret whether what it is about is hidden
 */
export function redactFinding<T extends Finding>(finding: T, isSecret: boolean, redaction: Redaction): T {
  const clean = redactJson(finding as unknown as JsonValue, redaction) as unknown as T;
  if (!isSecret || !/["\d]/.test(finding.message.replace(finding.pointer, ''))) return clean;
  const message = `${clean.pointer || 'the path'} is not as it must be; it holds a secret`;
  return { ...clean, message };
}
