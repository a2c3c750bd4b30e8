import { join, sep } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { ExchangeFile, readRecordingText } from '../../recordings/store/exchange-file.ts';
import { exchangeText, parseRecording } from '../../recordings/store/file-format.ts';
import { locationOf } from '../../recordings/store/location.ts';
import type { CheckedFile, Skipped, Subject } from '../../reporters/report.ts';
import { placedSubjects, type TextPointer } from '../check/places.ts';

/** An exchange with its place in its file, from 0. */
export interface Kept {
  index: number;
  exchange: Exchange;
}

interface Gathered {
  place: { method: string; path: string };
  /** With the places of its findings, in their order. */
  subjects: { kept: Kept; subject: Subject; pointers: readonly TextPointer[] }[];
  skipped: Skipped[];
  unjudged: number;
}

/** What became of the requests of a recording, file by file, as a report has it. */
export class VerifiedFiles {
  readonly #root: string;
  readonly #files = new Map<string, Gathered>();

  /** @param root the recording's folder */
  constructor(root: string) {
    this.#root = root;
  }

  /** The name of an exchange's file, as reports have it. */
  nameOf({ exchange: { request } }: Kept): string {
    return join(this.#root, locationOf(request.method, request.path)).replaceAll(sep, '/');
  }

  /** What is the same of every subject that is made of an exchange. */
  factsOf({ index, exchange: { request } }: Kept): Pick<Skipped, 'pointer' | 'method' | 'path'> {
    const { method, path, query } = request;
    return { pointer: `/exchanges/${index}`, method, path: query === '' ? path : `${path}?${query}` };
  }

  /** @param pointers those of the subject's findings, in their order */
  add(kept: Kept, subject: Subject, pointers: readonly TextPointer[]): void {
    this.#of(kept).subjects.push({ kept, subject, pointers });
  }

  /** One that could not be sent, or not be compared. */
  skip(kept: Kept, why: string): void {
    this.#of(kept).skipped.push({ ...this.factsOf(kept), why });
  }

  /** One that was not to be sent. */
  leave(kept: Kept): void {
    this.#of(kept).unjudged++;
  }

  /** All, with each finding at its place in its file, as that is now. @throws PatchgateError `cannot-read`, `bad-recording` */
  checkedFiles(): CheckedFile[] {
    const files = [...this.#files].sort(([a], [b]) => (a < b ? -1 : 1));
    return files.map(([file, gathered]) => {
      const { skipped, unjudged } = gathered;
      const subjects = placed(file, gathered);
      return { file, kind: 'recording', subjects, unjudged, ...(skipped.length > 0 && { skipped }) };
    });
  }

  #of(kept: Kept): Gathered {
    const name = this.nameOf(kept);
    const { method, path } = kept.exchange.request;
    const none = { place: { method, path }, subjects: [], skipped: [], unjudged: 0 };
    const gathered = this.#files.get(name) ?? none;
    this.#files.set(name, gathered);
    return gathered;
  }
}

function placed(name: string, { place, subjects }: Gathered): Subject[] {
  const pointers = subjects.flatMap((one) => one.pointers);
  const text = pointers.length === 0 ? undefined : readRecordingText(name);
  if (text === undefined) return subjects.map(({ subject }) => subject);
  const { exchanges } = parseRecording(text, name, place);
  const found = placedSubjects(
    { text, line: 1 },
    subjects.map(({ subject }) => subject),
    pointers,
  );
  return subjects.map(({ kept: { index, exchange }, subject }, at) => {
    // What still waits in the journal is in no file, or in another place of it.
    const isThere = exchanges[index]?.meta.recordedAt === exchange.meta.recordedAt;
    return isThere ? (found[at] as Subject) : subject;
  });
}

/** Refused for who asks, how often, or by a service in trouble: such an answer says nothing of what was asked for. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);

/** Whether an answer may take the place of a recorded one. */
export function isAcceptable(live: RecordedResponse, recorded: RecordedResponse): boolean {
  if (live.body && 'omitted' in live.body) return false;
  const { status } = live;
  return status === recorded.status || (status < 500 && !REFUSALS.has(status));
}

interface OfFile {
  place: { method: string; path: string };
  /** By index in the file, each with what stood there. */
  accepted: Map<number, { before: Exchange; after: Exchange }>;
}

/** Live answers that are to take the places of recorded ones, in a recording that no other process writes to. */
export class AcceptedAnswers {
  readonly #root: string;
  readonly #files = new Map<string, OfFile>();
  /** Answers that were successes in the recording, and are none today, or no JSON any more. */
  #failing = 0;
  #isAnySuccess = false;

  /** @param root the recording's folder */
  constructor(root: string) {
    this.#root = root;
  }

  get files(): number {
    return this.#files.size;
  }

  get answers(): number {
    return [...this.#files.values()].reduce((sum, { accepted }) => sum + accepted.size, 0);
  }

  /** Told of each answer, whether it differs or not. */
  see(live: RecordedResponse, recorded: RecordedResponse): void {
    if (isSuccess(live) && (isJson(live) || !isJson(recorded))) this.#isAnySuccess = true;
    else if (isSuccess(recorded)) this.#failing++;
  }

  /**
   * The times of the exchanges stay: they say which places these have among those of other files.
   *
   * @param alike those whose answers it replaces
   */
  add(alike: readonly Kept[], response: RecordedResponse, durationMs: number): void {
    for (const { index, exchange } of alike) {
      const { method, path } = exchange.request;
      const file = join(this.#root, locationOf(method, path));
      const ofFile = this.#files.get(file) ?? { place: { method, path }, accepted: new Map() };
      this.#files.set(file, ofFile);
      const after = { ...exchange, response, meta: { ...exchange.meta, durationMs } };
      ofFile.accepted.set(index, { before: exchange, after });
    }
  }

  /**
   * Each file is replaced whole or not at all.
   *
   * @throws PatchgateError `bad-usage` where the target answers as another one would; `cannot-write`; `bad-recording` where a file was changed meanwhile
   */
  async write(): Promise<void> {
    // A wrong base path gives 404 or the same page throughout, a login redirects: all that was recorded would be gone.
    if (this.#failing > 1 && !this.#isAnySuccess && this.answers > 0) throw strange(this.#failing);
    for (const [name, { place, accepted }] of this.#files) {
      const file = new ExchangeFile(name, place, true);
      const exchanges = [...(file.readNow() ?? [])];
      for (const [index, { before, after }] of accepted) {
        const there = exchanges[index];
        if (!there || exchangeText(there) !== exchangeText(before)) throw changed(name);
        exchanges[index] = after;
      }
      await file.replace(exchanges);
    }
  }
}

function isSuccess({ status }: RecordedResponse): boolean {
  return status >= 200 && status < 300;
}

function isJson({ body }: RecordedResponse): boolean {
  return body !== undefined && jsonOf(body) !== undefined;
}

function strange(count: number): PatchgateError {
  const message = `all ${count} requests that succeeded when they were recorded fail today, or give no JSON any more; nothing was changed`;
  return new PatchgateError('bad-usage', message, {
    hint: 'check --target with its base path, and --header; if that is how it is today, record it anew',
  });
}

function changed(file: string): PatchgateError {
  return new PatchgateError('bad-recording', `${file} was changed while its requests were sent`, {
    hint: 'run verify again',
  });
}
