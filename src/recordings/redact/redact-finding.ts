import { matchesPattern } from '../../json/pointer-pattern.ts';
import type { Effect } from '../../model/effect.ts';
import type { Finding } from '../../model/finding.ts';
import { redactText } from './redact-text.ts';
import type { Redaction } from './redaction.ts';

/** Whether a place in a body is hidden by its name or its pointer. @param tokens those of the pointer */
export function isSecretPointer(tokens: readonly string[], redaction: Redaction): boolean {
  return tokens.some((token) => redaction.members.has(token)) || matchesPattern(redaction.pointers, tokens);
}

/** Names are the users' own. */
export function redactEffect(effect: Effect, redaction: Redaction): Effect {
  const clean = (text: string) => redactText(text, redaction);
  const name = 'name' in effect && effect.name !== undefined ? { name: clean(effect.name) } : {};
  return {
    ...effect,
    ...name,
    ...('to' in effect && typeof effect.to === 'string' && { to: clean(effect.to) }),
  } as Effect;
}

/**
 * A finding that quotes no secret. A value that is quoted may be cut, so that it no longer looks like what it is.
 *
 * @param isSecret whether what it is about is hidden
 */
export function redactFinding<T extends Finding>(finding: T, isSecret: boolean, redaction: Redaction): T {
  const clean = (text: string) => redactText(text, redaction);
  const pointer = clean(finding.pointer);
  const message =
    isSecret && /["\d]/.test(finding.message.replace(finding.pointer, '')) ? '' : clean(finding.message);
  return {
    ...finding,
    pointer,
    message:
      message === ''
        ? `${pointer === '' ? 'the path' : pointer} is not as it must be; it holds a secret`
        : message,
    ...(finding.hint !== undefined && { hint: clean(finding.hint) }),
  };
}
