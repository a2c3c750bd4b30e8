import { join, sep } from 'node:path';
import { readRecordingText } from '../../recordings/store/exchange-file.ts';
import { parseRecording } from '../../recordings/store/file-format.ts';
import { locationOf } from '../../recordings/store/location.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../reporters/report.ts';
import { SubjectList } from '../check/judging/subject-list.ts';
import { placedIn, type TextPointer } from '../check/places/places-in-file.ts';
import { TextLines } from '../check/places/text-lines.ts';
import type { Kept } from './questions.ts';

interface Gathered {
  place: { method: string; path: string };
  list: SubjectList;
  /** Of all findings, in their order. */
  pointers: TextPointer[];
  /** Of each exchange that has some, when it was recorded. */
  recordedAt: Map<number, string>;
  /** With places; made while the file is as it was read. */
  placed?: CheckedFile;
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
  factsOf({ index, exchange: { request } }: Kept): Pick<Subject, 'pointer' | 'method' | 'path'> {
    const { method, path, query } = request;
    return { pointer: `/exchanges/${index}`, method, path: query === '' ? path : `${path}?${query}` };
  }

  /** @param pointers those of the subject's findings, in their order */
  add(kept: Kept, subject: Subject, pointers: readonly TextPointer[]): void {
    const gathered = this.#of(kept);
    gathered.list.add(subject);
    gathered.pointers.push(...pointers);
    if (pointers.length > 0) gathered.recordedAt.set(kept.index, kept.exchange.meta.recordedAt);
  }

  /** One that could not be sent, or not be compared. */
  skip(kept: Kept, why: string): void {
    const { pointer, method = '', path = '' } = this.factsOf(kept);
    this.#of(kept).list.skip({ pointer, method, path, why });
  }

  /** One that was not to be sent. */
  leave(kept: Kept): void {
    this.#of(kept).list.addUnjudged();
  }

  /** All, with each finding at its place in its file. @throws PatchgateError `cannot-read`, `bad-recording` */
  settled(): CheckedFile[] {
    const settled: CheckedFile[] = [];
    for (const name of [...this.#files.keys()].sort()) {
      const gathered = this.#files.get(name) as Gathered;
      settled.push(placed(name, gathered));
    }
    return settled;
  }

  #of(kept: Kept): Gathered {
    const name = this.nameOf(kept);
    const known = this.#files.get(name);
    if (known) return known;
    const { method, path } = kept.exchange.request;
    const fresh = {
      place: { method, path },
      list: new SubjectList(),
      pointers: [],
      recordedAt: new Map(),
    };
    this.#files.set(name, fresh);
    return fresh;
  }
}

function placed(name: string, { place, list, pointers, recordedAt }: Gathered): CheckedFile {
  const checked = list.asFile(name, 'recording');
  const text = pointers.length === 0 ? undefined : readRecordingText(name);
  if (text === undefined) return checked;
  const { exchanges } = parseRecording(text, name, place);
  const indexOf = ({ pointer }: Subject) => Number(pointer.slice('/exchanges/'.length));
  // In one pass: of a file with thousands of exchanges, each may have findings.
  const findings = checked.subjects.flatMap((subject): readonly PlacedFinding[] => subject.findings);
  const found = placedIn(text, new TextLines(text), findings, pointers).values();
  const subjects = checked.subjects.map((subject) => {
    const own = subject.findings.map(() => found.next().value as PlacedFinding);
    // What still waits in the journal is in no file, or in another place of it.
    const isThere = exchanges[indexOf(subject)]?.meta.recordedAt === recordedAt.get(indexOf(subject));
    return isThere ? { ...subject, findings: own } : subject;
  });
  return { ...checked, subjects };
}
