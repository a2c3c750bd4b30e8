import { isObject } from '../../json/json.ts';
import { isPointer, pointerOf } from '../../json/pointer.ts';
import type { Rule } from '../../model/rule.ts';
import { shownValue } from '../shown-value.ts';
import { SEVERITIES } from './check-rules.ts';
import { unknownMember } from './unknown-member.ts';

/** What is wrong with a rule's form, and where in it. */
export interface Misshapen {
  /** JSON Pointer in the rule: `/examples/fails/0/pointers`. */
  pointer: string;
  /** ` is missing`, ` is not known`, `: 5 is not taken` */
  what: string;
  hint: string;
}

interface Member {
  takes: string;
  mayMiss?: true;
  isTaken(value: unknown): boolean;
}

const BASES = ['stated', 'inferred', 'observed', 'protocol'];
/** Scopes of what reading a request and the schemas find. */
const RESERVED = /^(?:request|schema)\./;
/** Two parts, so that no file can have such a name by chance. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

const TEXT = { takes: 'a text', isTaken: isText };
const FLAG: Member = { takes: 'true, or is left out', mayMiss: true, isTaken: (value) => value === true };

const RULE: Readonly<Record<keyof Rule, Member>> = {
  name: {
    takes: 'a name in two parts, like "team.rule-name", the first of which is not request or schema',
    isTaken: (value) => typeof value === 'string' && NAME.test(value) && !RESERVED.test(value),
  },
  severity: oneOf(SEVERITIES),
  basis: oneOf(BASES),
  says: { ...TEXT, takes: 'one sentence: what must hold' },
  source: { ...TEXT, takes: 'a text: what the rule rests on' },
  readsEffects: FLAG,
  guards: FLAG,
  check: {
    takes: 'a generator: *check({ body }) { … yield { pointer, message }; … }',
    isTaken: (value) => typeof value === 'function',
  },
  examples: {
    takes: '{ passes: [{ body }], fails: [{ body, pointers }] }, at least one of each',
    isTaken: isObject,
  },
};

const LIST: Member = {
  takes: 'a list of at least one example',
  isTaken: (value) => Array.isArray(value) && value.length > 0,
};
const EXAMPLES: Readonly<Record<keyof Rule['examples'], Member>> = { passes: LIST, fails: LIST };

const FURTHER: Member = { takes: 'a list of examples', mayMiss: true, isTaken: Array.isArray };
const FURTHER_EXAMPLES: typeof EXAMPLES = { passes: FURTHER, fails: FURTHER };

const EXAMPLE: Readonly<Record<string, Member>> = {
  body: { takes: 'the body, a JSON value', isTaken: isJson },
  recordId: { takes: "the id in the path, a text: '42'", mayMiss: true, isTaken: isText },
  known: { takes: 'the record before the request, an object', mayMiss: true, isTaken: isObjectOfJson },
  effects: { takes: 'a list of effects', mayMiss: true, isTaken: (value) => Array.isArray(value) },
};
const FAILING: Readonly<Record<string, Member>> = {
  ...EXAMPLE,
  pointers: {
    takes: "the JSON Pointers of the places, at least one: ['/environments/0/name']",
    isTaken: (value) => Array.isArray(value) && value.length > 0 && value.every(isPointerText),
  },
};

/** What is wrong with the form of a rule of one's own; undefined: nothing. Whether it works is for its canary to tell. */
export function misshapenRule(rule: unknown): Misshapen | undefined {
  const inRule = misshapen(rule, RULE, []);
  if (inRule) return inRule;
  const { examples } = rule as Rule;
  const inExamples = misshapen(examples, EXAMPLES, ['examples']);
  if (inExamples) return inExamples;
  return misshapenExamples(examples, ['examples']);
}

/** The same of further examples. */
export function misshapenFixtures(more: unknown): Misshapen | undefined {
  return (
    misshapen(more, FURTHER_EXAMPLES, ['more']) ??
    misshapenExamples(more as Partial<Rule['examples']>, ['more'])
  );
}

function misshapenExamples(
  { passes, fails }: Partial<Rule['examples']>,
  at: readonly string[],
): Misshapen | undefined {
  for (const [index, example] of (passes ?? []).entries()) {
    const wrong = misshapen(example, EXAMPLE, [...at, 'passes', index]);
    if (wrong) return wrong;
  }
  for (const [index, example] of (fails ?? []).entries()) {
    const wrong = misshapen(example, FAILING, [...at, 'fails', index]);
    if (wrong) return wrong;
  }
  return undefined;
}

function misshapen(
  given: unknown,
  members: Readonly<Record<string, Member>>,
  at: readonly (string | number)[],
): Misshapen | undefined {
  if (!isObject(given)) {
    return {
      pointer: pointerOf(at),
      what: ' must be an object',
      hint: `it has: ${Object.keys(members).join(', ')}`,
    };
  }
  const unknown = unknownMember(given, Object.keys(members));
  if (unknown)
    return { pointer: pointerOf([...at, unknown.member]), what: ' is not known', hint: unknown.hint };
  for (const [name, { takes, mayMiss, isTaken }] of Object.entries(members)) {
    // A class may lend it.
    const value: unknown = given[name];
    if (value === undefined ? mayMiss : isTaken(value)) continue;
    const what = value === undefined ? ' is missing' : `: ${shownValue(value)} is not taken`;
    return { pointer: pointerOf([...at, name]), what, hint: `it takes ${takes}` };
  }
  return undefined;
}

function oneOf(words: readonly string[]): Member {
  return {
    takes: `one of: ${words.join(', ')}`,
    isTaken: (value) => typeof value === 'string' && words.includes(value),
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isPointerText(value: unknown): boolean {
  return typeof value === 'string' && isPointer(value);
}

function isObjectOfJson(value: unknown): boolean {
  return isObject(value) && isJson(value);
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  return Object.values(value).every(isJson);
}
