import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Effect } from './effect.ts';
import type { Basis, GuardMarks, SeveritySetting } from './finding.ts';
import type { Known } from './record.ts';

/** What a rule is given of a request. */
export interface RuleContext {
  /** The body as a value. The schema may have errors: a rule skips what it cannot read. */
  body: JsonValue;
  /** The id of the record in the path, as sent; `""` if the path is not known. */
  recordId: string;
  /** The record before the request, as far as it is known. */
  known?: Known | undefined;
  /** Why the record could not be read before the request, if that was tried and failed. */
  unread?: string | undefined;
  /** What the request does to it; undefined if nothing is known of it. */
  effects?: readonly Effect[] | undefined;
}

/** A place that a rule has something to say of. */
export interface Place extends GuardMarks {
  pointer: string;
  message: string;
  hint?: string;
}

/** A request for which it is known what the rule says: a test, a canary and an illustration at once. */
export interface Example {
  body: JsonValue;
  recordId?: string;
  /** The whole record before it, and what becomes of that, if it is known. */
  known?: JsonObject;
  effects?: readonly Effect[];
}

/** One that the rule has something to say of, and where: the JSON Pointers of the places. */
export interface FailingExample extends Example {
  pointers: readonly string[];
}

/** What a rule is given of an example. */
export function contextOf({ body, recordId = '', known, effects }: Example): RuleContext {
  return { body, recordId, known: known && { record: known, isWhole: true }, effects };
}

/**
 * One named check beyond JSON Schema. One rule a file; which operations it applies to is said in contract.json.
 */
export interface Rule {
  /** `draft.id-matches-path` */
  name: string;
  severity: SeveritySetting;
  basis: Basis;
  /** One sentence: the fault that it finds. */
  says: string;
  /** The paragraph that it rests on. */
  source: string;
  /** It has to do with effects alone: if there are none, it is not asked. */
  readsEffects?: true;
  /** Some of its places are destructive: a body that it cannot read must not pass the guard. */
  guards?: true;

  check(context: RuleContext): Iterable<Place>;
  examples: {
    passes: readonly Example[];
    /** The first one is the rule's canary, tried at each start. */
    fails: readonly FailingExample[];
  };
}
