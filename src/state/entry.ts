import type { JsonObject } from '../json/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import { wholeRecord, withUnclear } from './known.ts';
import { isSameProject } from './same-project.ts';

/** What is known of a record by one of its names, and what is on its way to it. Times are counted events. */
export interface Entry {
  readonly name: RecordName;
  /** What is known apart from what is on its way. */
  known: Known | undefined;
  /** Of `known`, as JSON; `""` where nobody needs it. */
  text: string;
  /** When it was last learnt in full: nothing from before says more. What was there from the start has 0. */
  sureAt: number;
  /** When something else was last learnt, in full or in part. */
  learntAt: number;
  /** When something last came or went, or was learnt. */
  changedAt: number;
  readonly onTheWay: Set<OnTheWay>;
  /** Of a live service's project, by the environment's id: when it was there last, and who was shown it. Memory alone. */
  seen: Map<number, Seen> | undefined;
  /** What was told of it last. */
  told: { text: string; isWhole: boolean } | undefined;
}

export interface Seen {
  /** Milliseconds of the state's clock. */
  at: number;
  /** Who was shown it, lately. */
  by: string[];
}

/** A change that the service may have made, or not. */
export interface OnTheWay {
  /** What it does is only possible since then, milliseconds since 1970; undefined: it counts as the rest does. */
  since: number | undefined;
  /** What it makes of the record; undefined: nobody has read its body. */
  sent: Known | undefined;
  /** Another was on its way at the same time: which of them the service took last is not known. */
  isOverlapped: boolean;
  /** One of those may have made something else of the record than is known. */
  isOverlappedBlindly: boolean;
}

export function newEntry(name: RecordName): Entry {
  return {
    name,
    known: undefined,
    text: '',
    sureAt: 0,
    learntAt: 0,
    changedAt: 0,
    onTheWay: new Set(),
    seen: undefined,
    told: undefined,
  };
}

/** What is known where each that is on its way may have been applied, or not. */
export function viewOf({ known, onTheWay }: Entry): Known | undefined {
  let view = known;
  for (const { sent, since } of onTheWay) {
    // Nearly always one that changes nothing.
    if (sent?.isWhole && known && isSameProject(known.record, sent.record)) continue;
    view = withUnclear(view, sent, since);
  }
  return view;
}

/** A whole record that an answer shows; what is known already is not made again. */
export function seenIn({ name, known }: Entry, record: JsonObject): Known {
  const isSame = name.kind === 'project' && known?.isWhole && isSameProject(known.record, record);
  return isSame ? known : wholeRecord(name.kind, record, known);
}

/** What is to be told of it. */
export function toldOf(entry: Entry, view = viewOf(entry)): Entry['told'] {
  if (!view) return undefined;
  const text = view.record === entry.known?.record ? entry.text : JSON.stringify(view.record);
  return { text, isWhole: view.isWhole };
}

/** Two are on their way to what may be one record. */
export function overlap(one: OnTheWay, other: OnTheWay): void {
  one.isOverlapped = true;
  other.isOverlapped = true;
  if (!other.sent?.isWhole) one.isOverlappedBlindly = true;
  if (!one.sent?.isWhole) other.isOverlappedBlindly = true;
}

/** What is known by another name since then would be known of the other, were they the same. */
export function isSuperseded({ learntAt, onTheWay }: Entry, own: Entry | undefined): boolean {
  return own?.known?.isWhole === true && learntAt < own.sureAt && onTheWay.size === 0;
}

/** What a record takes in memory beside its text, in characters, about. */
const OVERHEAD = 500;

/** Characters that what is known takes, about. @param text of it, as JSON */
export function sizeOf(text: string): number {
  return text === '' ? 0 : text.length + OVERHEAD;
}
