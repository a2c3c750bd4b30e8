import type { PatchgateError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import type { FaultRule } from '../../model/fault.ts';
import { nearest } from '../../model/nearest.ts';
import { unknownMember } from '../extras/unknown-member.ts';
import { shownValue } from '../shown-value.ts';
import { MEMBERS, type MemberName } from './fault-members.ts';

/** An error for people. @param pointer of the part that is meant, within a fault; `part`: its name */
export type Fail = (pointer: string, what: string, hint: string, part?: 'name') => PatchgateError;

const EXAMPLE = 'PATCH /accounts/*/projects/42 status=503 count=2';
/** What a text says with `name=value`, and which member that is. */
const IN_TEXT: Readonly<Record<string, MemberName>> = {
  status: 'status',
  'retry-after': 'retryAfter',
  truncate: 'truncate',
  trickle: 'trickle',
  latency: 'latency',
  rate: 'rate',
  count: 'count',
  after: 'after',
};

/** A fault that is written as a text, or as an object. @throws PatchgateError that `fail` makes */
export function readFault(given: unknown, fail: Fail): FaultRule {
  if (typeof given === 'string') return readText(given, fail);
  if (!isObject(given)) throw fail('', `: ${shownValue(given)} is no fault`, `it takes a text: ${EXAMPLE}`);
  const entry = given;
  const unknown = unknownMember(entry, Object.keys(MEMBERS));
  if (unknown) throw fail(`/${escapeToken(unknown.member)}`, ' is not known', unknown.hint, 'name');
  return ruleOf(entry, fail);
}

/** `[METHOD] [/path or operation] effect… [rate=0.2] [count=2] [after=1]` */
function readText(text: string, fail: Fail): FaultRule {
  const entry: Record<string, JsonValue> = {};
  const inText: Fail = (_, what, hint) => fail('', `: ${shownValue(text)}${what}`, hint);
  for (const word of text.trim().split(/\s+/)) {
    const [member, value] = memberOf(word, inText);
    if (entry[member] !== undefined) throw inText('', ` says ${member} twice`, 'say it once');
    entry[member] = value;
  }
  return ruleOf(entry, (pointer, what, hint) =>
    inText(
      '',
      `: ${pointer.slice(1).replace('retryAfter', 'retry-after')}${what}`.replace(/^: (?= )/, ''),
      hint,
    ),
  );
}

function memberOf(word: string, fail: Fail): [MemberName, JsonValue] {
  if (word.startsWith('/')) return ['path', word];
  if (word === 'reset') return ['reset', true];
  const [name = '', ...rest] = word.split('=');
  if (rest.length === 0) return [MEMBERS.method.read(word) === undefined ? 'operation' : 'method', word];
  if (Object.hasOwn(IN_TEXT, name)) return [IN_TEXT[name] as MemberName, rest.join('=')];
  const near = nearest(name, Object.keys(IN_TEXT));
  const hint = near ? `did you mean "${near}="?` : `it has: reset, ${Object.keys(IN_TEXT).join('=, ')}=`;
  throw fail('', `: ${JSON.stringify(name)} is not known`, hint);
}

function ruleOf(entry: JsonObject, fail: Fail): FaultRule {
  const read: { -readonly [Name in MemberName]?: unknown } = {};
  for (const [name, given] of Object.entries(entry) as [MemberName, unknown][]) {
    if (given === undefined) continue;
    const value = MEMBERS[name].read(given);
    if (value === undefined)
      throw fail(`/${name}`, `: ${shownValue(given)} is not taken`, `it takes ${MEMBERS[name].takes}`);
    read[name] = value;
  }
  const { status, retryAfter, headers, body, ...rest } = read;
  const orphan = (['retryAfter', 'headers', 'body'] as const).find((name) => read[name] !== undefined);
  if (status === undefined && orphan) throw fail(`/${orphan}`, ' needs a status', 'say which: status=429');
  if (rest.path !== undefined && rest.operation !== undefined)
    throw fail('', ' names a path and an operation', 'name one of them');
  const effects = [
    status !== undefined && 'status',
    rest.reset && 'reset',
    (rest.truncate ?? rest.trickle) && 'truncate or trickle',
  ].filter(Boolean);
  if (effects.length === 0 && rest.latency === undefined)
    throw fail(
      '',
      ' does nothing',
      'say what happens: status=503, reset, truncate=50%, trickle=100B/s or latency=2s',
    );
  if (effects.length > 1)
    throw fail('', ` has ${effects.join(' and ')}, of which only one can happen`, 'make two faults of them');
  const answer = status === undefined ? undefined : { status, retryAfter, headers, body };
  return withoutUndefined({ ...rest, answer: answer && withoutUndefined(answer) }) as FaultRule;
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
