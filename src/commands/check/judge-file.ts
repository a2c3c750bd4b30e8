import type { Gate } from '../../gate/gate.ts';
import type { SentExchange } from '../../guard/recorded-history.ts';
import { header, type RequestHead, splitTarget } from '../../http/http.ts';
import type { Known, RecordName } from '../../model/record.ts';
import { type CheckedFile, type Skipped, type Subject, subjectOf } from '../../reporters/report.ts';
import {
  type FileText,
  placedSubjects,
  pointersInText,
  type RequestPlaces,
  type TextPointer,
} from './places.ts';

/** A request that stands in a JSON text. */
export interface FoundRequest {
  /** Of the request in its file. */
  pointer: string;
  /** Where it begins in its file, if reports say it. */
  line?: number;
  /** All of its file, or its line. */
  text: FileText;
  head: RequestHead;
  /** Undefined: it is not in the file. */
  body: Buffer | undefined;
  /** In `text`. */
  places: RequestPlaces;
  /** When it was sent, where the file says so. */
  time?: string | undefined;
  /** With its response, where that is known. */
  exchange?: () => SentExchange;
}

/** A body that does not say what it is for, on a line of its own. */
export interface LoneBody {
  bytes: Buffer;
  pointer: string;
  line: number;
}

/** Judges the requests of one file, in its order, and gathers what there is to report. */
export class FileJudge {
  readonly #gate: Gate;
  readonly #path: string | undefined;
  readonly #onJudged: (() => void) | undefined;
  readonly #subjects: Subject[] = [];
  readonly #skipped: Skipped[] = [];
  #unjudged = 0;
  /** Where the findings of some subjects stand, by the texts that hold these. */
  readonly #places = new Map<FileText, { subjects: number[]; pointers: TextPointer[] }>();

  /**
   * @param path absolute; undefined: standard input
   * @param onJudged told of each request that was judged
   */
  constructor(gate: Gate, path: string | undefined, onJudged?: () => void) {
    this.#gate = gate;
    this.#path = path;
    this.#onJudged = onJudged;
  }

  /** @returns whether an operation of the contract is meant; a request of none is counted only */
  judge(request: FoundRequest, known: (name: RecordName) => Known | undefined): boolean {
    const { pointer, line, text, head, body, places, time } = request;
    const match = this.#gate.match(head);
    if (!match) {
      this.#unjudged++;
      return false;
    }
    const { path } = splitTarget(head.url);
    const facts = { pointer, ...(line !== undefined && { line }), method: head.method, path };
    if (!body) {
      this.skip({ ...facts, why: "the request's body is not in the file" });
      return true;
    }
    const record = this.#gate.recordOf(match);
    const circumstances = { known: record && known(record), file: this.#path };
    const { verdict } = this.#gate.inspect({ ...head, body }, match, circumstances);
    const pointers = pointersInText(places, body, verdict.findings);
    if (pointers.length > 0) {
      const placed = this.#places.get(text) ?? { subjects: [], pointers: [] };
      this.#places.set(text, placed);
      placed.subjects.push(this.#subjects.length);
      placed.pointers.push(...pointers);
    }
    this.add(
      subjectOf({ ...facts, sent: { time, client: header(head.headers, 'user-agent'), record } }, verdict),
    );
    return true;
  }

  /** What was judged elsewhere. */
  add(subject: Subject): void {
    this.#subjects.push(subject);
    this.#onJudged?.();
  }

  /** One that an operation concerns, yet that could not be judged. */
  skip(skipped: Skipped): void {
    this.#skipped.push(skipped);
  }

  /** All, with each finding at its place. */
  asFile(file: string, kind: CheckedFile['kind']): CheckedFile {
    const subjects = this.#subjects;
    for (const [text, { subjects: indexes, pointers }] of this.#places) {
      const found = indexes.map((index) => subjects[index] as Subject);
      for (const [at, subject] of placedSubjects(text, found, pointers).entries())
        subjects[indexes[at] as number] = subject;
    }
    const skipped = this.#skipped;
    return { file, kind, subjects, unjudged: this.#unjudged, ...(skipped.length > 0 && { skipped }) };
  }
}
