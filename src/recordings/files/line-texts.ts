import { PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Journal } from '../journal/journal.ts';
import { type JournalExchange, readLine } from '../journal/journal-line.ts';
import { toStoredExchange } from '../to-stored-exchange.ts';
import type { BodyFiles } from './body-files.ts';
import type { TextSource } from './entry.ts';

/** Ends the part of an exchange's line that tells the time. */
const TIMED = Buffer.from(',"status":');
/** Begins the part of its text that does. */
const META = '\n      "meta": {\n';

/** The exchanges of a journal's lines, as they stand in a file; the long bodies of what is read are then beside it. */
export class LineTexts implements TextSource {
  readonly #journal: Journal;
  readonly #bodies: BodyFiles;

  constructor(journal: Journal, bodies: BodyFiles) {
    this.#journal = journal;
    this.#bodies = bodies;
  }

  textAt(start: number, end: number): string {
    return this.#bodies.textOf(this.#at(start, end));
  }

  exchangeAt(start: number, end: number): Exchange {
    return this.#bodies.separate(this.#at(start, end));
  }

  /** One that differs from the one before it in its time only, as of a client that asks again and again, is not settled
   *  anew. */
  *all(stretches: readonly [start: number, end: number][]): Generator<{ text: string }> {
    let lastLine: Buffer = Buffer.alloc(0);
    let lastText = '';
    let lastSession: string | undefined;
    for (const [from, to] of stretches) {
      for (const { bytes } of this.#journal.lines(from, to)) {
        const timeless = bytes.subarray(bytes.indexOf(TIMED));
        if (timeless.equals(lastLine)) {
          yield { text: lastText + metaText(bytes, lastSession) };
          continue;
        }
        const { exchange } = exchangeIn(bytes);
        const text = this.#bodies.textOf(toStoredExchange(exchange));
        yield { text };
        lastLine = timeless;
        lastSession = exchange.session;
        lastText = text.slice(0, text.lastIndexOf(META) + META.length);
      }
    }
  }

  #at(start: number, end: number): Exchange {
    return toStoredExchange(exchangeIn(this.#journal.line(start, end)).exchange);
  }
}

/** The exchange that a line holds. @throws PatchgateError `bad-recording` */
export function exchangeIn(bytes: Buffer): JournalExchange {
  const line = readLine(bytes);
  if (line?.kind === 'exchange') return line;
  throw new PatchgateError('bad-recording', 'the journal of the recording was changed while it was in use');
}

/** Somebody else took lines away that were kept: waiting for them would never end. */
export function cutShort(key: string): PatchgateError {
  return new PatchgateError('bad-recording', `the journal lacks exchanges of ${key} that it had`, {
    hint: 'nothing but Patchgate may write to it while it runs: record them again',
  });
}

function metaText(line: Buffer, session: string | undefined): string {
  const [, at, ms] = /^\{"at":(\d+),"ms":(\d+),/.exec(line.toString('latin1', 0, 60)) as RegExpExecArray;
  const time = new Date(Number(at)).toISOString();
  const named = session === undefined ? '' : `,\n        "session": ${JSON.stringify(session)}`;
  return `        "recordedAt": "${time}",\n        "durationMs": ${ms}${named}\n      }\n    }`;
}
