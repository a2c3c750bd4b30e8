import {
  type CheckedFile,
  type CountedFinding,
  changeOf,
  type Further,
  type Skipped,
  type Subject,
} from '../../../reporters/report.ts';
import type { Compared } from '../contracts/compare-contracts.ts';

/** What a report still has room for: it is held in memory as a whole. */
export interface Room {
  /** Subjects that nothing is to be said of; of further ones there is only a number. */
  clean: number;
  /** Findings, effects and requests that were not judged; of what has more there are only numbers from then on. */
  toSay: number;
  /** Told of each request that was judged. */
  onJudged?: (() => void) | undefined;
}

const MOST_CLEAN = 10_000;
export const MOST_TO_SAY = 100_000;

export function newRoom(onJudged?: () => void): Room {
  return { clean: MOST_CLEAN, toSay: MOST_TO_SAY, onJudged };
}

/** Why a request that an operation concerns could not be judged. */
export const NO_BODY = "the request's body is not in the file";

/** What was judged of one file, in its order. */
export class SubjectList {
  readonly #room: Room;
  readonly #subjects: Subject[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #further: FurtherCount;
  #clean = 0;
  #unjudged = 0;

  /** @param further what was counted of the file already */
  constructor(room: Room, further?: Further) {
    this.#room = room;
    this.#further = new FurtherCount(further);
  }

  /** @returns whether it is held: of others there are only numbers */
  add(subject: Subject): boolean {
    this.#room.onJudged?.();
    if (isClean(subject)) {
      if (this.#room.clean === 0) {
        this.#clean++;
        return false;
      }
      this.#room.clean--;
    } else if (!this.#hasRoomFor(sizeOf(subject))) {
      this.#further.add(subject);
      return false;
    }
    this.#subjects.push(subject);
    return true;
  }

  /** One that an operation concerns, yet that could not be judged. */
  skip(skipped: Skipped): void {
    if (this.#hasRoomFor(1)) this.#skipped.push(skipped);
    else this.#further.addSkipped();
  }

  /** One that no operation concerns. */
  addUnjudged(): void {
    this.#unjudged++;
  }

  asFile(file: string, kind: CheckedFile['kind']): CheckedFile {
    const further = this.#further.counted;
    return {
      file,
      kind,
      subjects: this.#subjects,
      ...(this.#clean > 0 && { clean: this.#clean }),
      unjudged: this.#unjudged,
      ...(this.#skipped.length > 0 && { skipped: this.#skipped }),
      ...(further && { further }),
    };
  }

  /** Once something was too large there is room for nothing: what is held is the beginning, whatever comes. */
  #hasRoomFor(size: number): boolean {
    const room = this.#room;
    const fits = size <= room.toSay;
    room.toSay = fits ? room.toSay - size : 0;
    return fits;
  }
}

/** Counts requests instead of holding them. */
class FurtherCount {
  readonly #numbers: Omit<Further, 'findings'>;
  readonly #findings = new Map<string, CountedFinding>();
  #isEmpty: boolean;

  constructor(given?: Further) {
    const { findings = [], ...numbers } = given ?? {};
    this.#numbers = { judged: 0, blocked: 0, skipped: 0, omitted: 0, breaks: 0, allows: 0, ...numbers };
    this.#isEmpty = given === undefined;
    for (const finding of findings) this.#count(finding, finding.count);
  }

  add(subject: Subject): void {
    this.#isEmpty = false;
    this.#numbers.judged++;
    if (subject.outcome === 'block') this.#numbers.blocked++;
    this.#numbers.omitted += subject.omitted;
    const change = changeOf(subject);
    if (change) this.#numbers[change]++;
    for (const { rule, severity, stands } of subject.findings as readonly Compared[]) {
      if (stands === undefined) this.#count({ rule, severity }, 1);
      else if (stands === 'in both') this.#count({ rule, severity, excuse: { by: 'old-contract' } }, 1);
    }
  }

  addSkipped(): void {
    this.#isEmpty = false;
    this.#numbers.skipped++;
  }

  get counted(): Further | undefined {
    return this.#isEmpty ? undefined : { ...this.#numbers, findings: [...this.#findings.values()] };
  }

  #count({ rule, severity, excuse }: Omit<CountedFinding, 'count'>, times: number): void {
    const key = `${rule} ${severity} ${excuse?.by}`;
    const count = (this.#findings.get(key)?.count ?? 0) + times;
    this.#findings.set(key, { rule, severity, ...(excuse && { excuse }), count });
  }
}

function isClean({ outcome, findings, effects, omitted, before }: Subject): boolean {
  const isQuiet = findings.length === 0 && effects === undefined && omitted === 0;
  return isQuiet && outcome === 'pass' && before?.outcome !== 'block';
}

function sizeOf({ findings, effects = [] }: Subject): number {
  return Math.max(1, findings.length + effects.length);
}

/** Makes of files that had room for themselves what they would be had they shared it; files that are still to come may be missing. */
export function shareRoom(files: readonly CheckedFile[]): CheckedFile[] {
  const room = newRoom();
  return files.map((file) => {
    const list = new SubjectList(room, file.further);
    for (const subject of file.subjects) list.add(subject);
    for (const skipped of file.skipped ?? []) list.skip(skipped);
    const { subjects, clean = 0, skipped = [], further } = list.asFile(file.file, file.kind);
    const { skipped: _skipped, ...rest } = file;
    return {
      ...rest,
      subjects,
      ...(clean > 0 && { clean: clean + (file.clean ?? 0) }),
      ...(skipped.length > 0 && { skipped }),
      ...(further && { further }),
    };
  });
}

/** What there is to say of files, as room is counted. */
export function sizeOfAll(files: readonly CheckedFile[]): number {
  return files.reduce(
    (sum, { subjects, skipped = [] }) =>
      subjects.reduce((total, subject) => total + sizeOf(subject), sum + skipped.length),
    0,
  );
}
