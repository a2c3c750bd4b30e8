import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { FaultRule, FaultsGiven, Latency } from '../model/fault.ts';
import { meant } from '../schemas/check.ts';
import { DURATIONS, LONGEST_TIMER, readAmount } from './read-amount.ts';

/** Each is held against every request. */
const MOST_FAULTS = 100;
const PATH = /^\/(?!.*[(|])(?!.*\?[\w.%[\]-]+=)[\x21-\x7e]{0,999}$/;

const wholeNumber = (from: number, to: number) => (text: string) =>
  /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to ? Number(text) : undefined;

/** What stands as `name=value`. */
const VALUES: Readonly<Record<string, { takes: string; read(text: string): unknown }>> = {
  status: { takes: 'a status from 200 to 599: status=503', read: wholeNumber(200, 599) },
  'retry-after': { takes: 'whole seconds: retry-after=2', read: wholeNumber(0, 999_999_999) },
  latency: {
    takes: 'a duration with its unit, or a range of them: latency=5s, latency=50ms..200ms',
    read: latencyOf,
  },
  rate: {
    takes: 'a number from 0 to 1: rate=0.2',
    read: (text) => (/^(?:[01]|[01]?\.\d+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  },
  count: { takes: 'how often it happens at most: count=2', read: wholeNumber(1, Number.MAX_SAFE_INTEGER) },
};

/**
 * Faults, each a text `[METHOD] [/path or operation] effect… [rate=0.2] [count=2] [body=…]`. Lines part several, and where there is no
 * body, semicolons.
 *
 * @param place where they stand, for messages
 * @throws PatchgateError that says what is wrong, where, and what is taken
 */
export function readFaults(
  given: string | readonly string[],
  place: string,
  code: ErrorCode = 'bad-config',
): FaultRule[] {
  const parted = (text: string) => text.split(/\bbody=/.test(text) ? '\n' : /[;\n]/);
  const texts = [given]
    .flat()
    .flatMap(parted)
    .filter((text) => text.trim() !== '');
  if (texts.length <= MOST_FAULTS) return texts.map((text) => readFault(text.trim(), place, code));
  throw new PatchgateError(code, `${texts.length} faults in ${place}`, {
    hint: `it takes ${MOST_FAULTS} at most`,
  });
}

/** The faults of the control API, or of a program while it runs. @throws PatchgateError `bad-input` */
export function readGivenFaults(given: FaultsGiven): FaultRule[] {
  const faults = typeof given === 'object' && given && 'faults' in given ? given.faults : given;
  if (typeof faults === 'string' || (Array.isArray(faults) && faults.every((one) => typeof one === 'string')))
    return readFaults(faults as string[], 'the faults', 'bad-input');
  throw new PatchgateError('bad-input', 'what is given is no list of faults', {
    hint: 'it takes { "faults": ["PATCH status=503 count=2"] }',
  });
}

function readFault(text: string, place: string, code: ErrorCode): FaultRule {
  const where = `${JSON.stringify(text)} in ${place}`;
  const fail = (what: string, hint: string) =>
    new PatchgateError(code, `${what} in fault ${where}`, { hint });
  const [, words = '', body] = /^(.*?)(?:(?:^|\s)body=(.*))?$/s.exec(text) as RegExpExecArray;
  const parts = new Map<string, unknown>();
  for (const word of words.split(/\s+/).filter((one) => one !== '')) {
    const [name, value] = partOf(word, fail);
    if (parts.has(name)) throw fail(`${name} stands twice`, 'give it once');
    parts.set(name, value);
  }
  const { status, 'retry-after': retryAfter, ...rest } = Object.fromEntries(parts);
  if (status === undefined && (retryAfter ?? body) !== undefined)
    throw fail('there is no status', 'retry-after and body need one: status=503');
  if (status === undefined && !rest.reset && !rest.latency)
    throw fail('nothing happens', 'it needs one of: status=503, reset, latency=5s');
  if (status !== undefined && rest.reset)
    throw fail('status and reset stand together', 'make two faults of them');
  if (rest.path && rest.operation) throw fail('path and operation stand together', 'name one of them');
  const answer = {
    status,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(body !== undefined && { body: bodyOf(body) }),
  };
  return { ...rest, ...(status !== undefined && { answer }) } as FaultRule;
}

function partOf(word: string, fail: (what: string, hint: string) => Error): [name: string, value: unknown] {
  const at = word.indexOf('=');
  if (word.startsWith('/')) {
    if (PATH.test(word)) return ['path', word];
    throw fail(
      `invalid path ${word}`,
      'it takes a glob of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43}',
    );
  }
  if (word === 'reset') return ['reset', true];
  if (/^[A-Z][A-Z-]{0,30}$/.test(word)) return ['method', word];
  if (/^[\w.-]{1,100}$/.test(word)) return ['operation', word];
  const name = word.slice(0, Math.max(at, 0));
  const kind = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (!kind) {
    const known = Object.keys(VALUES);
    throw fail(`unknown word ${word}`, meant(name, known) ?? `it has: reset, ${known.join('=, ')}=, body=`);
  }
  const value = kind.read(word.slice(at + 1));
  if (value !== undefined) return [name, value];
  throw fail(`invalid value ${word}`, `it takes ${kind.takes}`);
}

/** `100ms`, `50ms..2s` */
function latencyOf(text: string): Latency | undefined {
  const [from = Number.NaN, to = from] = text
    .split('..')
    .map((end) => (/^(?:0|.*[a-z])$/i.test(end) ? readAmount(end, DURATIONS) : Number.NaN));
  return from <= to && to <= LONGEST_TIMER ? { from, to } : undefined;
}

/** JSON goes out as such, any other text as it is. */
function bodyOf(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
