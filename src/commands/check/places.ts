/** Finds the places of findings in a file, and the lines around them. */
import { findOffsets, placesAt } from '../../json/json-text.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { Finding } from '../../model/finding.ts';
import {
  isSecretPointer,
  redactEffect,
  redactFinding,
  redactPath,
  redactText,
} from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { CheckedFile, Excerpt, PlacedFinding } from '../../reporters/report.ts';

/** Where a body stands in a JSON text: as a value, in a string, or in another way. */
export interface BodyPlace {
  pointer: string;
  as: 'json' | 'text' | 'coded';
}

/** What was found in a request of a file. */
export interface FoundIn {
  /** Of the request. */
  pointer: string;
  place: BodyPlace;
  body: Buffer;
  findings: readonly Finding[];
}

/** The findings of a body that is a file by itself, with the lines around them. */
export function placedInBody(
  findings: readonly Finding[],
  body: Buffer,
  redaction: Redaction,
): PlacedFinding[] {
  const text = findings.length === 0 ? '' : body.toString('utf8');
  return findings.map((finding) => {
    const offset = offsetIn(text, finding);
    return offset === undefined ? finding : { ...finding, excerpt: excerptAt(text, offset, redaction) };
  });
}

/** The findings of several requests with their places in the file that holds these: one list for each request. */
export function placedInFile(
  text: string,
  found: readonly FoundIn[],
  redaction: Redaction,
): PlacedFinding[][] {
  const all = found.flatMap((request) => request.findings.map((finding) => ({ request, finding })));
  if (all.length === 0) return found.map(() => []);
  const pointers = all.map(({ request, finding }) => pointerIn(request, finding));
  const starts = findOffsets(text, pointers);
  const offsets = all.map(({ request, finding }, i) => {
    const start = starts[i] as number;
    if (request.place.as !== 'text' || finding.line === undefined) return start;
    return offsetInString(text, start, offsetIn(request.body.toString('utf8'), finding) ?? 0);
  });
  const places = placesAt(text, offsets);
  const placed = all.map(({ finding }, i) => {
    return { ...finding, ...places[i], excerpt: excerptAt(text, offsets[i] as number, redaction) };
  });
  return found.map(({ findings }) => placed.splice(0, findings.length));
}

/** Rules about the name of a member. */
const OF_NAME = /^schema\.(?:unknown-field|field-case)$/;

function pointerIn({ pointer, place }: FoundIn, { rule, pointer: within, line }: Finding) {
  if (line === undefined) return { pointer: `${pointer}/request`, part: 'value' as const };
  if (place.as !== 'json') return { pointer: place.pointer, part: 'value' as const };
  return {
    pointer: place.pointer + within,
    part: OF_NAME.test(rule) ? ('name' as const) : ('value' as const),
  };
}

/** In UTF-16 code units from 0. */
function offsetIn(text: string, { line, column }: Finding): number | undefined {
  if (line === undefined || column === undefined) return undefined;
  let start = 0;
  for (let left = line - 1; left > 0; left--) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** @param start of the string in a JSON text @param units of what it holds */
function offsetInString(text: string, start: number, units: number): number {
  let at = start + 1;
  for (let left = units; left > 0; left--) at += text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
  return at;
}

/** Code units of a line on both sides of a place by which a secret is known, and that are shown. */
const [KEPT, SHOWN] = [300, 50];

/** The line around an offset, without secrets, with `…` for the rest. */
function excerptAt(text: string, offset: number, redaction: Redaction): Excerpt {
  const [head = ''] = text
    .slice(Math.max(0, offset - KEPT), offset)
    .split(/\n/)
    .slice(-1);
  const [tail = ''] = text.slice(offset, offset + KEPT).split(/\r?\n/, 1);
  const whole = redactText(head + tail, redaction);
  // Behind something that was hidden, the place has moved.
  const at = whole.startsWith(head)
    ? head.length
    : Math.min(redactText(head, redaction).length, whole.length);
  // A string whose beginning, and name, are not seen is not shown.
  const first = head.length === KEPT ? Math.min(Math.max(whole.indexOf('"'), 0), at) : 0;
  const start = Math.max(at - SHOWN, first);
  const mark = start > 0 ? '…' : '';
  const shown = mark + whole.slice(start, at + SHOWN) + (at + SHOWN < whole.length ? '…' : '');
  // A slice would keep the whole file in memory.
  return { text: Buffer.from(shown, 'utf16le').toString('utf16le'), caret: mark.length + at - start };
}

/** Reports go into logs, and to services that show them. */
export function hideSecrets(files: readonly CheckedFile[], redaction: Redaction): CheckedFile[] {
  const hidden = <T extends { path?: string }>(one: T): T =>
    one.path === undefined ? one : { ...one, path: redactPath(one.path, redaction) };
  const isSecret = ({ pointer }: Finding, path = '') =>
    pointer === '' ? redactPath(path, redaction) !== path : isSecretPointer(tokensOf(pointer), redaction);
  return files.map((file) => ({
    ...file,
    subjects: file.subjects.map((subject) => ({
      ...hidden(subject),
      findings: subject.findings.map((one) => redactFinding(one, isSecret(one, subject.path), redaction)),
      ...(subject.effects && { effects: subject.effects.map((effect) => redactEffect(effect, redaction)) }),
    })),
    ...(file.skipped && { skipped: file.skipped.map(hidden) }),
  }));
}
