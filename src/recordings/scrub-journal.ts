import { closeSync, fstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readLine } from './journal/journal-line.ts';
import { linesOf } from './journal/lines-of.ts';
import { readAt } from './journal/read-at.ts';
import { openSegment } from './journal/read-segment.ts';
import { segmentName, segmentsIn } from './journal/segment.ts';
import { redactExchange } from './redaction/redact.ts';
import type { Redaction } from './redaction/redaction.ts';
import { HIDDEN } from './store/hidden-folder.ts';
import { toStoredExchange } from './to-stored-exchange.ts';

/** A secret that a recording holds, or held until it was scrubbed. */
export interface Leftover {
  /** Relative to the recording's folder. */
  file: string;
  /** `/exchanges/3/request/query/token`, `/exchanges/3/response/body/json/user/email`, `path` for that of the file itself;
   *  `line 12` of a journal. */
  place: string;
  /** Why it is one: `the name "token"`, `the pointer /user/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
}

/** What stands in the journal, whether a file has it already or not. Nothing is changed. */
export function leftoversIn(root: string, redaction: Redaction): Leftover[] {
  const folder = join(root, HIDDEN, 'journal');
  return segmentsIn(folder).flatMap((base) => inSegment(join(folder, segmentName(base)), root, redaction));
}

function inSegment(file: string, root: string, redaction: Redaction): Leftover[] {
  const fd = openSegment(file);
  if (fd === undefined) return [];
  const found = new Map<string, Leftover>();
  try {
    let number = 0;
    for (const { bytes } of linesOf((start, end) => readAt(fd, start, end - start), 0, fstatSync(fd).size)) {
      number++;
      const line = readLine(bytes);
      if (line?.kind !== 'exchange') continue;
      const place = `line ${number}`;
      redactExchange(toStoredExchange(line.exchange), redaction, ({ what }) => {
        found.set(`${place} ${what}`, { file: relative(root, file), place, what });
      });
    }
  } finally {
    closeSync(fd);
  }
  return [...found.values()];
}
