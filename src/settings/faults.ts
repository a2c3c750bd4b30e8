import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { FaultGiven, FaultRule, FaultsGiven, Latency, UserFault } from '../model/fault.ts';
import { check, meant, memberAt, type PlaceOf, shownValue } from '../schemas/check.ts';
import { readAmount, readLatency, SIZES } from './read-amount.ts';
import { FAULT_MEMBERS, KINDS, MOST_FAULTS } from './schema.ts';

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

/** What the control API and programs set faults with. */
interface FaultsRead {
  seed: number | undefined;
  latency: Latency | undefined;
  rules: FaultRule[];
}

/** @param given the faults alone, or with all else. @throws PatchgateError `bad-input`, naming the member */
export function readFaultsGiven(
  given: string | FaultsGiven | NonNullable<FaultsGiven['faults']>,
): FaultsRead {
  const isFaults = typeof given === 'string' || Array.isArray(given);
  const members = (isFaults ? { faults: given } : given) as FaultsGiven | null;
  const written =
    typeof members === 'object' && members !== null
      ? { ...members, latency: timeAsWritten(members.latency), faults: faultsAsWritten(members.faults) }
      : members;
  const placeOf: PlaceOf = (pointer) => memberAt(pointer) || 'the faults';
  check('faultsGiven', written, placeOf, 'bad-input');
  const { seed, latency, faults = [] } = written as Required<FaultsGiven>;
  return {
    seed,
    latency: latency === undefined ? undefined : latencyOf(latency, placeOf('/latency'), 'bad-input'),
    rules: readFaults(faults, (pointer) => placeOf(`/faults${pointer}`), 'bad-input'),
  };
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

/** `[METHOD] [/path or operation] effect… [rate=0.2] [count=2] [after=1]` */
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
  const { status, retryAfter, headers, body, truncate, trickle, latency, reset, ...rest } = fault;
  if (rest.path !== undefined && rest.operation !== undefined)
    throw fail('path and operation are both given', 'name one of them');
  const effects = Object.entries({ status, reset, 'truncate or trickle': truncate ?? trickle });
  const given = effects.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (given.length > 1)
    throw fail(`${given.join(' and ')} cannot happen together`, 'make two faults of them');
  const answer = status !== undefined && {
    ...{ status, retryAfter, body },
    headers: headers && rawHeaders(headers, placeOf('/headers'), code),
  };
  return withoutUndefined({
    ...rest,
    reset,
    answer: answer ? withoutUndefined(answer) : undefined,
    truncate: truncate === undefined ? undefined : shareOf(String(truncate)),
    trickle: trickle === undefined ? undefined : readAmount(String(trickle).replace(/\/s$/, ''), SIZES),
    latency: latency === undefined ? undefined : latencyOf(latency, placeOf('/latency'), code),
  }) as FaultRule;
}

function shareOf(given: string): FaultRule['truncate'] {
  return given.endsWith('%') ? { percent: Number(given.slice(0, -1)) } : { bytes: Number(given) };
}

function latencyOf(given: string | number, place: string, code: ErrorCode): Latency {
  const latency = readLatency(given);
  if (latency !== undefined) return latency;
  throw new PatchgateError(code, `invalid value ${shownValue(given)} for ${place}`, {
    hint: `it takes ${KINDS.latency.takes}`,
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
