import {
  byHeaderName,
  mayMeanAnother,
  type RawHeaders,
  type RequestHead,
  splitTarget,
} from '../http/http.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import type { FailureKind } from '../model/exchange.ts';
import type { RecordName } from '../model/record.ts';
import type { KnownState } from './known-state.ts';
import type { Shown } from './records.ts';

/** What became of a request. */
export interface Outcome {
  status: number;
  /** Of the answer. */
  headers: RawHeaders;
  /** What its body shows; undefined: it could not be read. */
  shown: Shown | undefined;
  /** Who is shown it. */
  by?: string;
}

/** What one request says of a record, once it is known what became of it: one of `answered` and `failed` is called, once. */
export interface StateUpdate {
  /** Whether the answer's body has a say in it. */
  wantsBody(status: number): boolean;
  answered(outcome: Outcome): void;
  /** There was no answer, or no whole one. @param kind undefined: it was not waited for */
  failed(kind: FailureKind | undefined): void;
}

/**
 * Accepted is what was answered with 2xx. What was refused with 4xx, or never reached the service, says nothing; anything
 * else may have been applied. A record in an answer counts more than what was sent.
 *
 * @param isJudged as a PATCH
 * @param isChange that, or it changes the record in another way
 * @param body what it is changed to; undefined: it was not read
 */
export function stateUpdateOf(
  state: KnownState,
  name: RecordName,
  head: Pick<RequestHead, 'method' | 'url'> & Partial<RequestHead>,
  isJudged: boolean,
  isChange: boolean,
  body: JsonValue | undefined,
): StateUpdate {
  const isLive = state.isLive(name.kind);
  const isOther = mayMeanAnother(head.headers ?? []);
  if (isChange) {
    const sent = state.send(name, body);
    return {
      wantsBody: isAccepted,
      answered({ status, shown, by }) {
        if (isAccepted(status) && !isOther && (!isLive || (isJudged && saysDone(shown))))
          sent.accepted(shown, by, () => isFinal(status, head, body));
        else if (status >= 400 && status < 500) sent.rejected();
        else sent.unclear(shown, by);
      },
      failed(kind) {
        if (kind === 'refused') sent.rejected();
        else sent.unclear();
      },
    };
  }
  if (head.method === 'DELETE') {
    const begun = state.time;
    return {
      wantsBody: (status) => isLive && isAccepted(status),
      answered({ status, shown }) {
        if (!isAccepted(status)) return;
        if (!isOther && (!isLive || (saysDone(shown) && isFinal(status, head, body))))
          state.forget(name, begun, shown?.ids);
        else state.doubt(name);
      },
      failed: () => undefined,
    };
  }
  // A query may ask for a part of it, a header for something else; and what another method shows is not said anywhere.
  const isPart = isOther || splitTarget(head.url).query !== '' || (isLive && head.method !== 'GET');
  const read = state.read(name, isPart);
  const wantsBody = (status: number) =>
    head.method !== 'HEAD' && isAccepted(status) && (isLive || status !== 206);
  return {
    wantsBody,
    answered({ status, headers, shown, by }) {
      const isOld = isLive && (status === 206 || isDated(headers));
      if (shown && wantsBody(status)) read(isOld ? { ...shown, isDated: true } : shown, by);
    },
    failed: () => undefined,
  };
}

/** Whether an answer can be read, and reports no error. */
function saysDone(shown: Shown | undefined): boolean {
  return shown !== undefined && !shown.isError;
}

/** Whether an answer may be of some time ago, or a part. */
export function isDated(headers: RawHeaders): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    const value = headers[i + 1] as string;
    if (name === 'content-range' || (name === 'age' && Number(value) !== 0)) return true;
    if (name === 'link' && /\brel\s*=\s*"?[^";]*\bnext\b/i.test(value)) return true;
    if (OF_CACHE.test(name) && /hit|stale/i.test(value)) return true;
  }
  return false;
}

/** `X-Cache`, `X-Cache-Status`, `CF-Cache-Status`, `Cache-Status`. */
const OF_CACHE = /cache(?!-control)/;

/** Whether a change that was accepted has been made by now, and not only tried or taken in. */
function isFinal(
  status: number,
  { url, headers = [] }: Pick<RequestHead, 'url'> & Partial<RequestHead>,
  body: JsonValue | undefined,
): boolean {
  if (status === 202 || status === 207 || splitTarget(url).query !== '') return false;
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (saysTry(headers[i] as string) || ONLY_PREFERRED.test(headers[i + 1] as string)) return false;
  if (!isObject(body)) return true;
  for (const name in body) {
    if (saysTry(name)) return false;
    const inner = body[name];
    if (isObject(inner) && Object.keys(inner).some(saysTry)) return false;
  }
  return true;
}

/** How services are asked to do nothing but say what they would do: in a name, or in a header's value. */
const ONLY_TRIED = /dry[-_]?run|(?:validat\w*|check|test)[-_]?only|what[-_]?if|preview|simulat/i;
const saysTry = byHeaderName((name) => ONLY_TRIED.test(name));
const ONLY_PREFERRED = /dry[-_]?run|validate[-_]?only|respond-async/i;

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}
