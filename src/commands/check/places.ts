/** Where findings stand in a file, and what is shown of it. */
import { findOffsets, placesAt } from '../../json/json-text.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { Finding } from '../../model/finding.ts';
import { redactPath, redactText } from '../../recordings/redact/redact.ts';
import { isSecretPointer, redactEffect, redactFinding } from '../../recordings/redact/redact-finding.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import type { CheckedFile, Excerpt, PlacedFinding, Subject } from '../../reporters/report.ts';

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
export function placedInBody(findings: readonly Finding[], body: Buffer): PlacedFinding[] {
  const text = findings.length === 0 ? '' : body.toString('utf8');
  return findings.map((finding) => {
    const offset = offsetIn(text, finding);
    return offset === undefined ? finding : { ...finding, excerpt: excerptAt(text, offset) };
  });
}

/** The findings of several requests with their places in the file that holds these: one list for each request. */
export function placedInFile(text: string, found: readonly FoundIn[]): PlacedFinding[][] {
  const all = found.flatMap((request) => request.findings.map((finding) => ({ request, finding })));
  if (all.length === 0) return found.map(() => []);
  const starts = findOffsets(
    text,
    all.map(({ request, finding }) => wanted(request, finding)),
  );
  const offsets = all.map(({ request, finding }, i) => {
    const start = starts[i] as number;
    if (request.place.as !== 'text' || finding.line === undefined) return start;
    return offsetInString(text, start, offsetIn(request.body.toString('utf8'), finding) ?? 0);
  });
  const places = placesAt(text, offsets);
  let next = 0;
  return found.map(({ findings }) =>
    findings.map((finding) => {
      const i = next++;
      return { ...finding, ...places[i], excerpt: excerptAt(text, offsets[i] as number) };
    }),
  );
}

/** Rules about the name of a member. */
const OF_NAME = /^schema\.(?:unknown-field|field-case)$/;

function wanted({ pointer, place }: FoundIn, { rule, pointer: within, line }: Finding) {
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

/** Code units of a line that are kept, and how many of them before the place: enough to know a secret by its name. */
const KEPT = { all: 500, before: 300 };
/** The same that are shown. */
const SHOWN = { all: 100, before: 50 };

/** The line around an offset, with `…` for the rest. */
function excerptAt(text: string, offset: number): Excerpt {
  const before = text.slice(Math.max(0, offset - KEPT.before), offset);
  const start = offset - before.length + before.lastIndexOf('\n') + 1;
  // One more than is kept says whether the line goes on; a carriage return belongs to its end.
  const [line = ''] = text.slice(start, start + KEPT.all + 2).split(/\r?\n/, 1);
  const head = start > 0 && text[start - 1] !== '\n' ? '…' : '';
  const tail = line.length > KEPT.all ? '…' : '';
  // A slice would keep the whole file in memory.
  const copy = Buffer.from(line.slice(0, KEPT.all), 'utf16le').toString('utf16le');
  return { text: head + copy + tail, caret: head.length + offset - start };
}

/** Reports go into logs, and to services that show them. */
export function hideSecrets(files: readonly CheckedFile[], redaction: Redaction): CheckedFile[] {
  const hidden = <T extends { path?: string }>(one: T): T =>
    one.path === undefined ? one : { ...one, path: redactPath(one.path, redaction) };
  return files.map((file) => ({
    ...file,
    subjects: file.subjects.map((subject) => ({
      ...hidden(subject),
      findings: subject.findings.map((finding) => shown(finding, subject, redaction)),
      ...(subject.effects && { effects: subject.effects.map((effect) => redactEffect(effect, redaction)) }),
    })),
    ...(file.skipped && { skipped: file.skipped.map(hidden) }),
  }));
}

function shown(finding: PlacedFinding, { path = '' }: Subject, redaction: Redaction): PlacedFinding {
  const { pointer, excerpt } = finding;
  const isSecret =
    pointer === '' ? redactPath(path, redaction) !== path : isSecretPointer(tokensOf(pointer), redaction);
  const clean = redactFinding(finding, isSecret, redaction);
  return excerpt ? { ...clean, excerpt: shortened(excerpt, redaction) } : clean;
}

/** No secret, and no more than fits a screen. */
function shortened({ text, caret }: Excerpt, redaction: Redaction): Excerpt {
  const whole = redactText(text, redaction);
  const before = text.slice(0, caret);
  // Behind something that was hidden, the place has moved.
  const moved = whole.startsWith(before) ? caret : redactText(before, redaction).length;
  const at = Math.min(moved, whole.length);
  // The rest of a string whose beginning, and name, are not seen.
  const quote = text.startsWith('…') ? whole.indexOf('"') : 0;
  const start = Math.max(at - SHOWN.before, Math.min(Math.max(quote, 0), at));
  const [head, tail] = [start > 0 ? '…' : '', start + SHOWN.all < whole.length ? '…' : ''];
  return { text: head + whole.slice(start, start + SHOWN.all) + tail, caret: head.length + at - start };
}
