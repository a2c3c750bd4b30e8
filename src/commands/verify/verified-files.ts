import { join, sep } from 'node:path';
import type { Exchange } from '../../model/exchange.ts';
import { readRecordingText } from '../../recordings/store/exchange-file.ts';
import { parseRecording } from '../../recordings/store/file-format.ts';
import { locationOf } from '../../recordings/store/location.ts';
import type { CheckedFile, PlacedFinding, Skipped, Subject } from '../../reporters/report.ts';
import { placedIn, type TextPointer } from '../check/places.ts';

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
  // In one pass: of a file with thousands of exchanges, each may have findings.
  const all = subjects.flatMap(({ subject }) => subject.findings);
  const found = placedIn({ text, line: 1 }, all, pointers).values();
  return subjects.map(({ kept: { index, exchange }, subject }) => {
    const findings = subject.findings.map(() => found.next().value as PlacedFinding);
    // What still waits in the journal is in no file, or in another place of it.
    const isThere = exchanges[index]?.meta.recordedAt === exchange.meta.recordedAt;
    return isThere ? { ...subject, findings } : subject;
  });
}
