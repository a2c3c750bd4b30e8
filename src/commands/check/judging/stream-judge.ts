import type { Gate } from '../../../gate/gate.ts';
import { type RequestHead, splitTarget } from '../../../http/http.ts';
import type { Exchange } from '../../../model/exchange.ts';
import { type CheckedFile, type Skipped, type Subject, subjectOf } from '../../../reporters/report.ts';
import type { Beforehand } from '../history/beforehand.ts';
import { StreamHistory } from '../history/stream-history.ts';
import { placedIn, pointersInText, type RequestPlaces } from '../places/places-in-file.ts';
import { TextLines, type TextStart } from '../places/text-lines.ts';
import { SubjectList } from './subject-list.ts';

/** A request that stands in a JSON text, which is a part of a file. */
export interface FoundRequest {
  head: RequestHead;
  /** Or why it is not there, in a few words. */
  body: Buffer | { missing: string };
  places: RequestPlaces;
  /** With what became of it, where that is known. */
  exchange?(): Exchange | undefined;
}

/** The text, and where it stands. */
export interface FilePart {
  text: string;
  start: TextStart;
  /** In the file: `/log/entries/3`. */
  pointer: string;
}

/** Judges the requests of a file one by one as it is read: what each shows is known of those behind it. */
export class StreamJudge {
  readonly #gate: Gate;
  readonly #file: string | undefined;
  readonly #history: StreamHistory;
  readonly #judged: SubjectList;

  /** @param file absolute; undefined: standard input */
  constructor(gate: Gate, beforehand: Beforehand, file: string | undefined, onJudged?: () => void) {
    this.#gate = gate;
    this.#file = file;
    this.#history = new StreamHistory(gate, beforehand);
    this.#judged = new SubjectList(onJudged);
  }

  judge(request: FoundRequest, part: FilePart): void {
    const { head, body } = request;
    const match = this.#gate.match(head);
    if (!match) this.#judged.addUnjudged();
    else {
      const facts = {
        pointer: part.pointer,
        line: part.start.line,
        method: head.method,
        path: splitTarget(head.url).path,
      };
      if (!Buffer.isBuffer(body)) this.#judged.skip({ ...facts, why: body.missing });
      else {
        const record = this.#gate.recordOf(match);
        const known = record && this.#history.known(record);
        const { verdict } = this.#gate.inspect({ ...head, body }, match, { known, file: this.#file });
        const subject = subjectOf(facts, verdict);
        this.#judged.add(verdict.findings.length === 0 ? subject : placed(subject, request, body, part));
      }
    }
    // Most of what a browser asks for is about no record.
    const exchange = match || this.#gate.recordAt(head.url) ? request.exchange?.() : undefined;
    if (exchange) this.#history.tell(exchange);
  }

  /** What was judged otherwise. */
  add(subject: Subject): void {
    this.#judged.add(subject);
  }

  /** What could not be judged. */
  skip(skipped: Skipped): void {
    this.#judged.skip(skipped);
  }

  asFile(name: string, kind: CheckedFile['kind']): CheckedFile {
    return this.#judged.asFile(name, kind);
  }
}

function placed(
  subject: Subject,
  { places }: FoundRequest,
  body: Buffer,
  { text, start }: FilePart,
): Subject {
  const { findings } = subject;
  const pointers = pointersInText(places, body, findings);
  return { ...subject, findings: placedIn(text, new TextLines(text, start), findings, pointers) };
}
