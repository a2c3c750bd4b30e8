import type { Finding } from '../model/finding.ts';
import { type CheckedFile, type Report, summaryOf } from './report.ts';

/** For programs: version 1, as docs/reference/formats.md has it. A member may be added within it, none goes or changes its meaning. */
export function* json(report: Report): Generator<string> {
  const { files, remarks = [] } = report;
  const around = (list: unknown) => ({
    version: 1,
    summary: summaryOf(report),
    ...(remarks.length > 0 && { remarks }),
    files: list,
  });
  yield* jsonPieces(around, files, fileOf);
}

function fileOf({ file, kind, unjudged, skipped = [], subjects }: CheckedFile) {
  return {
    ...{ file, kind, unjudged },
    ...(skipped.length > 0 && { skipped }),
    // Members that are undefined are not written.
    subjects: subjects.map((subject) => {
      const { pointer, line, method, path, operation, outcome, omitted } = subject;
      const { findings, effects, effectsOmitted } = subject;
      return {
        ...{ pointer, line, method, path, operation, outcome, omitted },
        findings: findings.map(findingOf),
        ...{ effects, effectsOmitted },
      };
    }),
  };
}

/** The members in their order, and no others. */
export function findingOf(finding: Finding) {
  const { rule, severity, basis, pointer, message, hint, source, line, column } = finding;
  return { rule, severity, basis, pointer, message, hint, source, line, column };
}

/** Stands for the list until it is made. */
const LIST = '\u0000list\u0000';

/**
 * A JSON text, indented by two, in pieces: the whole of a long list would be one very long text.
 *
 * @param around what the list is a member of
 * @param shown an item as it is written
 */
export function* jsonPieces<T>(
  around: (list: unknown) => unknown,
  items: Iterable<T>,
  shown: (item: T) => unknown,
): Generator<string> {
  const [before = '', after = ''] = jsonText(around(LIST)).split(JSON.stringify(LIST));
  const outer = `\n${/\n( *).*$/.exec(before)?.[1] ?? ''}`;
  const inner = `${outer}  `;
  let begin = `${before}[`;
  for (const item of items) {
    yield `${begin}${inner}${jsonText(shown(item)).replaceAll('\n', inner)}`;
    begin = ',';
  }
  yield `${begin === ',' ? `${outer}]` : `${before}[]`}${after}\n`;
}

/** Half of a surrogate pair, as a JSON text has it: escaped. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** What no UTF-8 can hold, like the half of a pair in a member's name, makes strict readers refuse the whole text. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(HALF, '$1\ufffd');
}
