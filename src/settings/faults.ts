import { type ErrorCode, PatchgateError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { durationOf } from './duration.ts';

/** One way in which answers fail, and which: those of all requests that fit whatever it says of them. */
export interface FaultRule {
  /** Its words but for the body, in one line of printable ASCII: `PATCH status=503 retry-after=2 count=2` */
  readonly text: string;
  readonly method?: string;
  /** A path, in which `*` is any characters and `?` one. What stands before it, the query and a slash at the end count for nothing. */
  readonly path?: string;
  readonly operation?: string;
  readonly status?: number;
  /** Seconds, as `Retry-After` says them. */
  readonly retryAfter?: number;
  /** A text goes out as it is, any other value as JSON; without one, the answer is a problem that names the fault. */
  readonly body?: JsonValue;
  /** The connection breaks before a byte of the answer. */
  readonly reset?: true;
  /** Milliseconds that an answer waits before its first byte: each time others of a range. */
  readonly latency?: { readonly from: number; readonly to: number };
  /** From 0 to 1: how likely it is, each time. */
  readonly rate?: number;
  /** In a session, it happens so often at most. */
  readonly count?: number;
}

/** What the control API and programs set faults with. */
export type FaultsGiven = string | readonly string[] | { faults: string | readonly string[] };

/** What the words of a fault say. */
const WORDS: readonly [name: keyof FaultRule, form: RegExp, read: (text: string) => unknown][] = [
  ['path', /^(\/(?!.*\?[\w.%[\]-]+=)[\x21-\x7e]{0,999})$/, String],
  ['status', /^status=([2-5]\d\d)$/, Number],
  ['retryAfter', /^retry-after=(\d{1,9})$/, Number],
  ['latency', /^latency=(.+)$/, latencyOf],
  ['rate', /^rate=(0?\.\d+|[01])$/, Number],
  ['count', /^count=([1-9]\d{0,14})$/, Number],
  ['reset', /^(reset)$/, () => true],
  ['method', /^([A-Z][A-Z-]{0,30})$/, String],
  ['operation', /^([\w.-]{1,100})$/, String],
];
const FORM =
  'a fault is: [METHOD] [/path/* or operation] status=503 [retry-after=2], reset or latency=50ms..2s [rate=0.2] [count=2] [body=…]';

/**
 * Reads faults from texts. Lines separate several, and semicolons too if none has a body.
 *
 * @param place where they stand, for messages
 * @throws PatchgateError with the place, the error and the right form
 */
export function readFaults(
  given: string | readonly string[],
  place: string,
  code: ErrorCode = 'bad-config',
): FaultRule[] {
  const texts = [given].flat().flatMap((text) => text.split(/\bbody=/.test(text) ? '\n' : /[;\n]/));
  return texts.filter((text) => text.trim() !== '').map((text) => readFault(text.trim(), place, code));
}

/** The faults of the control API, or of a program while it runs. @throws PatchgateError `bad-input` */
export function readGivenFaults(given: FaultsGiven): FaultRule[] {
  const faults = typeof given === 'object' && given && 'faults' in given ? given.faults : given;
  if (typeof faults === 'string' || (Array.isArray(faults) && faults.every((one) => typeof one === 'string')))
    return readFaults(faults as string[], 'the faults', 'bad-input');
  throw new PatchgateError('bad-input', 'this is no list of faults', {
    hint: 'it takes { "faults": ["PATCH status=503 count=2"] }',
  });
}

function readFault(given: string, place: string, code: ErrorCode): FaultRule {
  const fail = (what: string) =>
    new PatchgateError(code, `${what} in the fault ${JSON.stringify(given)} of ${place}`, { hint: FORM });
  const [, head = '', body] = /^(.*?)(?:(?:^|\s)body=(.*))?$/s.exec(given) as RegExpExecArray;
  const words = head.split(/\s+/).filter((word) => word !== '');
  const rule: { -readonly [name in keyof FaultRule]: unknown } = { text: words.join(' ') };
  for (const word of words) {
    const [name = 'text', form, read] = WORDS.find(([, form]) => form.test(word)) ?? [];
    const value = read?.(form?.exec(word)?.[1] as string);
    if (value === undefined) throw fail(`${JSON.stringify(word)} is not understood`);
    if (rule[name] !== undefined) throw fail(`${name} stands twice`);
    rule[name] = value;
  }
  const { path, operation, status, retryAfter, reset, latency } = rule;
  if (path !== undefined && operation !== undefined) throw fail('path and operation stand together');
  if (status !== undefined && reset) throw fail('status and reset stand together');
  if (status === undefined && (retryAfter ?? body) !== undefined) throw fail('there is no status');
  if (status === undefined && !reset && !latency) throw fail('nothing happens');
  return { ...rule, ...(body !== undefined && { body: bodyOf(body) }) } as FaultRule;
}

/** `100ms`, `50ms..2s` */
function latencyOf(text: string): FaultRule['latency'] {
  const [from, to = from] = text.split('..').map((end) => durationOf(end));
  return from !== undefined && to !== undefined && from <= to ? { from, to } : undefined;
}

/** JSON goes out as such, any other text as it is. */
function bodyOf(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
