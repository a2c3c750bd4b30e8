import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { FaultGiven, FaultRule, FaultsGiven, UserFault } from '../model/fault.ts';
import { check, meant, memberAt, type PlaceOf, shownValue } from '../schemas/check.ts';
import { readLatency } from './read-amount.ts';
import { FAULT_MEMBERS, LATENCY, MOST_FAULTS } from './schema.ts';

const NOT_IN_TEXT = ['method', 'path', 'operation', 'headers', 'body', 'reset'];
/** What a text says with `name=value`: by that name, the member. */
const MEMBERS_IN_TEXT = new Map(
  Object.keys(FAULT_MEMBERS)
    .filter((member) => !NOT_IN_TEXT.includes(member))
    .map((member) => [member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), member]),
);
const IN_TEXT = [...MEMBERS_IN_TEXT.keys()];

/**
 * Faults: a list of texts and objects, or one text, of which a semicolon or a new line parts several.
 *
 * @param given as the schema of the config file has it
 * @param placeOf what is meant, for messages; its pointers start within the list
 * @throws PatchgateError that says what is wrong, where, and what is taken
 */
export function readFaults(
  given: string | readonly FaultGiven[],
  placeOf: PlaceOf,
  code: ErrorCode = 'bad-config',
): FaultRule[] {
  const rules = [given].flat().flatMap((one: FaultGiven, index) => {
    const at = typeof given === 'string' ? '' : `/${index}`;
    if (typeof one !== 'string')
      return [ruleOf(one, (pointer, name) => placeOf(at + pointer, name && at + name), code)];
    const texts = one.split(/[;\n]/).filter((text) => text.trim() !== '');
    return texts.map((text) => readText(text, placeOf(at), code));
  });
  if (rules.length <= MOST_FAULTS) return rules;
  throw new PatchgateError(code, `${rules.length} faults in ${placeOf('')}`, {
    hint: `it takes ${MOST_FAULTS} at most`,
  });
}

/** The faults of the control API, or of a program while it runs. @throws PatchgateError `bad-input`, naming the member */
export function readGivenFaults(given: FaultsGiven): FaultRule[] {
  const isList = typeof given === 'string' || Array.isArray(given);
  const members = (isList ? { faults: given } : given) as { faults?: FaultGiven[] } | null;
  const written =
    typeof members === 'object' && members
      ? { ...members, faults: faultsAsWritten(members.faults) }
      : members;
  const placeOf: PlaceOf = (pointer) => memberAt(pointer) || 'the faults';
  check('faultsGiven', written, placeOf, 'bad-input');
  return readFaults(
    (written?.faults as FaultGiven[]) ?? [],
    (pointer) => placeOf(`/faults${pointer}`),
    'bad-input',
  );
}

/** A program counts in milliseconds, and an object of it may say that a member is undefined. */
export function faultsAsWritten(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((fault: unknown) =>
    typeof fault === 'object' && fault !== null && 'latency' in fault
      ? { ...fault, latency: timeAsWritten(fault.latency) }
      : fault,
  );
}

export function timeAsWritten(given: unknown): unknown {
  return typeof given === 'number' ? `${given}ms` : given;
}

/** `[METHOD] [/path or operation] effect… [rate=0.2] [count=2]` */
function readText(text: string, place: string, code: ErrorCode): FaultRule {
  const fault: Record<string, unknown> = {};
  const placeOf: PlaceOf = (pointer) =>
    `${pointer && `${pointer.slice(1)} of `}${JSON.stringify(text)} in ${place}`;
  for (const word of text.trim().split(/\s+/)) {
    const [name, value] = memberOf(word);
    if (name === undefined) {
      const [unknown = ''] = word.split('=');
      const hint = meant(unknown, IN_TEXT) ?? `it has: reset, ${IN_TEXT.join('=, ')}=`;
      throw new PatchgateError(code, `unknown field ${JSON.stringify(unknown)} of ${placeOf('')}`, { hint });
    }
    if (fault[name] !== undefined)
      throw new PatchgateError(code, `${name} is given twice in ${placeOf('')}`, { hint: 'give it once' });
    fault[name] = value;
  }
  check('fault', fault, placeOf, code);
  return ruleOf(fault, placeOf, code);
}

function memberOf(word: string): [name?: string, value?: unknown] {
  if (word.startsWith('/')) return ['path', word];
  if (word === 'reset') return ['reset', true];
  const [name = '', ...rest] = word.split('=');
  if (rest.length === 0) return [/^[A-Z][A-Z-]{0,30}$/.test(word) ? 'method' : 'operation', word];
  const value = rest.join('=');
  const member = MEMBERS_IN_TEXT.get(name);
  if (member === undefined) return [];
  const isNumber = /^(?:\d+|\d*\.\d+)$/.test(value) && FAULT_MEMBERS[member]?.type !== undefined;
  return [member, isNumber ? Number(value) : value];
}

/** @param fault as the schema has it */
function ruleOf(fault: UserFault, placeOf: PlaceOf, code: ErrorCode): FaultRule {
  const fail = (what: string, hint: string) =>
    new PatchgateError(code, `${what} in ${placeOf('')}`, { hint });
  const { status, retryAfter, headers, body, latency, reset, ...rest } = fault;
  if (rest.path !== undefined && rest.operation !== undefined)
    throw fail('path and operation are both given', 'name one of them');
  if (status !== undefined && reset)
    throw fail('status and reset cannot happen together', 'make two faults of them');
  const answer = status !== undefined && {
    ...{ status, retryAfter, body },
    headers: headers && rawHeaders(headers, placeOf('/headers'), code),
  };
  return withoutUndefined({
    ...rest,
    reset,
    answer: answer ? withoutUndefined(answer) : undefined,
    latency: latency === undefined ? undefined : latencyOf(latency, placeOf('/latency'), code),
  }) as FaultRule;
}

function latencyOf(given: string | number, place: string, code: ErrorCode) {
  const latency = readLatency(given);
  if (latency !== undefined) return latency;
  throw new PatchgateError(code, `invalid value ${shownValue(given)} for ${place}`, {
    hint: `it takes ${LATENCY.takes}`,
  });
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Of the connection, and where a body ends: not for a fault to say. */
const OURS = /^(?:content-length|transfer-encoding|connection|keep-alive|trailer|te|upgrade|patchgate-.*)$/i;

/** As raw headers: name, value, name, value, … */
function rawHeaders(headers: NonNullable<UserFault['headers']>, place: string, code: ErrorCode): string[] {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as [string, string]),
  );
  for (const [name, value] of pairs)
    if (!NAME.test(name) || OURS.test(name) || !VALUE.test(value))
      throw new PatchgateError(code, `invalid value ${shownValue(headers)} for ${place}`, {
        hint: `it takes ${FAULT_MEMBERS.headers?.takes}`,
      });
  return pairs.flat();
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
