import type { Gate, Inspection } from '../gate/gate.ts';
import { splitTarget } from '../http/http.ts';
import { childOf, type JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Effect } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import type { ListName } from '../model/record.ts';
import {
  isSecretPointer,
  redactEffect,
  redactFinding,
  redactJson,
  redactPath,
} from '../recordings/redact/redact.ts';
import { REDACTED } from '../recordings/redact/redacted.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';

/** The gate, whose findings and names quote no secret of the request: they are sent, logged, shown and kept. */
export function quotingNoSecrets(gate: Gate, redaction: Redaction): Gate {
  const named = <Name extends ListName>(name: Name | undefined): Name | undefined => {
    const base = name?.base && redactPath(name.base, redaction);
    return name === undefined || base === name.base ? name : { ...name, base };
  };
  return {
    ...gate,
    recordOf: (match) => named(gate.recordOf(match)),
    recordAt: (url) => named(gate.recordAt(url)),
    inspect(request, match, circumstances) {
      const inspection = gate.inspect(request, match, circumstances);
      // Effects of what passes go to no client: they are redacted when they are shown.
      if (inspection.verdict.findings.length === 0) return inspection;
      return { ...inspection, verdict: redactVerdict(inspection, request.url, redaction) };
    },
  };
}

function redactVerdict({ verdict, json }: Inspection, url: string, redaction: Redaction): Verdict {
  const { path } = splitTarget(url);
  const isSecretPath = redactPath(path, redaction) !== path;
  // If names are secret, so is a message that quotes them.
  const names = redaction.members.has('name') ? (verdict.effects ?? []).flatMap(namesIn) : [];
  const hide = (text: string, name: string) =>
    text.replaceAll(`(${name})`, `(${REDACTED})`).replaceAll(`"${name}"`, `"${REDACTED}"`);
  const findings = verdict.findings.map((finding) => {
    const quotes = finding.pointer === '' ? isSecretPath : isSecretPlace(finding.pointer, json, redaction);
    const clean = redactFinding(finding, quotes, redaction);
    return names.length === 0 ? clean : { ...clean, message: names.reduce(hide, clean.message) };
  });
  const effects = verdict.effects?.map((effect) => redactEffect(effect, redaction));
  return { ...verdict, findings, ...(effects && { effects }) };
}

function namesIn({ kind: _, ...members }: Effect): string[] {
  return Object.values(members).filter((value) => typeof value === 'string');
}

/** Whether the value at a place is hidden, by its name, its place or what it holds. */
function isSecretPlace(pointer: string, json: JsonValue | undefined, redaction: Redaction): boolean {
  const tokens = tokensOf(pointer);
  if (isSecretPointer(tokens, redaction)) return true;
  const value = tokens.reduce<unknown>(childOf, json) as JsonValue | undefined;
  // Of lists and objects nothing is quoted.
  return typeof value !== 'object' && value !== undefined && redactJson(value, redaction) !== value;
}
