import { PatchgateError } from '../../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { readLine } from '../journal/journal-line.ts';
import type { PlainExchange } from '../plain-exchange.ts';
import { settle } from '../settle.ts';
import { exchangeText } from './file-format.ts';

/** Ends the part of an exchange's line that tells the time. */
const TIMED = Buffer.from(',"status":');
/** Begins the part of its text that does. */
const META = '\n      "meta": {\n';

/**
 * The exchanges of a journal's lines, as they stand in a file. One that differs from the one before it in its time only,
 * as of a client that asks again and again, is not settled anew.
 */
export function* lineTexts(
  journal: Journal,
  stretches: readonly [start: number, end: number][],
): Generator<{ text: string }> {
  let lastLine: Buffer = Buffer.alloc(0);
  let lastText = '';
  for (const [from, to] of stretches) {
    for (const { bytes } of journal.lines(from, to)) {
      const timeless = bytes.subarray(bytes.indexOf(TIMED));
      if (timeless.equals(lastLine)) {
        yield { text: lastText + metaText(bytes) };
        continue;
      }
      const text = exchangeText(settle(exchangeIn(bytes).exchange));
      yield { text };
      lastLine = timeless;
      lastText = text.slice(0, text.lastIndexOf(META) + META.length);
    }
  }
}

/** The exchange that a line holds. @throws PatchgateError `bad-recording` */
export function exchangeIn(bytes: Buffer): { exchange: PlainExchange; replace: boolean } {
  const line = readLine(bytes);
  if (line?.kind === 'exchange') return line;
  throw new PatchgateError('bad-recording', 'the journal of the recording was changed while it was in use');
}

function metaText(line: Buffer): string {
  const [, at, ms] = /^\{"at":(\d+),"ms":(\d+),/.exec(line.toString('latin1', 0, 60)) as RegExpExecArray;
  const time = new Date(Number(at)).toISOString();
  return `        "recordedAt": "${time}",\n        "durationMs": ${ms}\n      }\n    }`;
}
