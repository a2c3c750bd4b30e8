import { tokensOf } from '../../json/pointer.ts';
import { redactPath, redactText } from '../../recordings/redact/redact.ts';
import { isSecretPointer, redactEffect, redactFinding } from '../../recordings/redact/redact-finding.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { CheckedFile, Excerpt, PlacedFinding, Subject } from '../../reporters/report.ts';

/** Code units of a line that are shown at most, and how many of them before the place. */
const WIDTH = 100;
const BEFORE = 50;

/** What is judged may hold secrets: what is said of it goes into logs, and to services that show reports. */
export function hideSecrets(files: readonly CheckedFile[], redaction: Redaction): CheckedFile[] {
  const path = (text: string) => redactPath(text, redaction);
  const hidden = (subject: Subject): Subject => {
    const { findings, effects } = subject;
    return {
      ...subject,
      ...(subject.path !== undefined && { path: path(subject.path) }),
      findings: findings.map((finding) => hide(finding, subject, redaction)),
      ...(effects && { effects: effects.map((effect) => redactEffect(effect, redaction)) }),
    };
  };
  return files.map((file) => ({
    ...file,
    subjects: file.subjects.map(hidden),
    ...(file.skipped && { skipped: file.skipped.map((one) => ({ ...one, path: path(one.path) })) }),
  }));
}

function hide(finding: PlacedFinding, { path = '' }: Subject, redaction: Redaction): PlacedFinding {
  const { pointer, excerpt } = finding;
  const isSecret =
    pointer === '' ? redactPath(path, redaction) !== path : isSecretPointer(tokensOf(pointer), redaction);
  const clean = redactFinding(finding, isSecret, redaction);
  return excerpt ? { ...clean, excerpt: shown(excerpt, (text) => redactText(text, redaction)) } : clean;
}

/** What is shown of a line: no secret, and no more than fits a screen. */
function shown({ text, caret }: Excerpt, clean: (text: string) => string): Excerpt {
  const whole = clean(text);
  // Behind something that was hidden, the place has moved.
  const before = whole.startsWith(text.slice(0, caret)) ? text.slice(0, caret) : clean(text.slice(0, caret));
  const at = Math.min(before.length, whole.length);
  // The rest of a string whose beginning, and name, are not seen.
  const firstQuote = text.startsWith('…') ? whole.indexOf('"') : 0;
  const start = Math.max(at - BEFORE, Math.min(Math.max(firstQuote, 0), at), 0);
  const end = Math.min(whole.length, start + WIDTH);
  const head = start > 0 ? '…' : '';
  const tail = end < whole.length ? '…' : '';
  return { text: head + whole.slice(start, end) + tail, caret: head.length + at - start };
}
