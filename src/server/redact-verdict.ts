import type { Gate, GateRequest } from '../gate.ts';
import type { Effect } from '../model/effect.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import { splitTarget } from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import { tokensOf } from '../model/pointer.ts';
import { isMeantBy } from '../model/pointer-pattern.ts';
import { redactJson, redactPath, redactText } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';

/** The gate, whose findings quote no secret of the request: they are sent, logged and shown. */
export function quotingNoSecrets(gate: Gate, redaction: Redaction): Gate {
  return {
    ...gate,
    inspect(request, match, circumstances) {
      const inspection = gate.inspect(request, match, circumstances);
      const { verdict, json } = inspection;
      if (verdict.findings.length === 0 && !verdict.effects) return inspection;
      return { ...inspection, verdict: redactVerdict(verdict, request, json, redaction) };
    },
  };
}

function redactVerdict(
  verdict: Verdict,
  { url }: GateRequest,
  json: JsonValue | undefined,
  redaction: Redaction,
): Verdict {
  const { path } = splitTarget(url);
  const isSecretPath = redactPath(path, redaction) !== path;
  const findings = verdict.findings.map((finding) => {
    const quotes = finding.pointer === '' ? isSecretPath : isSecretPlace(finding.pointer, json, redaction);
    return redactFinding(finding, quotes, redaction);
  });
  const effects = verdict.effects?.map((effect) => redactEffect(effect, redaction));
  return { ...verdict, findings, ...(effects && { effects }) };
}

/** Names are the users' own. */
function redactEffect(effect: Effect, redaction: Redaction): Effect {
  const clean = (text: string) => redactText(text, redaction);
  const name = 'name' in effect && effect.name !== undefined ? { name: clean(effect.name) } : {};
  return {
    ...effect,
    ...name,
    ...('to' in effect && typeof effect.to === 'string' && { to: clean(effect.to) }),
  } as Effect;
}

/** Whether the value at a place is hidden, by its name, its place or what it holds. */
function isSecretPlace(pointer: string, json: JsonValue | undefined, redaction: Redaction): boolean {
  const tokens = tokensOf(pointer);
  if (tokens.some((token) => redaction.members.has(token)) || isMeantBy(redaction.pointers, tokens))
    return true;
  let value = json;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null) return false;
    value = Object.hasOwn(value, token) ? (value as Record<string, JsonValue>)[token] : undefined;
  }
  // Of lists and objects nothing is quoted.
  return typeof value !== 'object' && value !== undefined && redactJson(value, redaction) !== value;
}

/** A value that is quoted may be cut, so that it no longer looks like what it is. */
function redactFinding(finding: Finding, isSecret: boolean, redaction: Redaction): Finding {
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
