import type { FailureKind } from '../model/exchange.ts';
import { type RequestHead, splitTarget } from '../model/http.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RecordName } from '../model/record.ts';
import type { KnownState } from './known-state.ts';

/** What one request teaches about a record, once it is known what became of it: one of `answered` and `failed` is called, once. */
export interface Lesson {
  /** Whether the answer's body has a say in it. */
  wantsBody(status: number): boolean;
  /** @param record the whole record that its body shows, by `recordIn`; undefined: it shows none, or nobody has read it */
  answered(status: number, record?: JsonObject): void;
  /** There was no answer, or no whole one. @param kind undefined: nobody waited for it */
  failed(kind: FailureKind | undefined): void;
}

/**
 * Accepted is what was answered with 2xx. What was refused with 4xx, or never reached the service, teaches nothing; anything
 * else may have been applied. A whole record in an answer counts more than what was sent.
 *
 * @param isChange it is judged as a PATCH, or changes the record in another way
 * @param body what it is changed to; undefined: nobody has read it
 */
export function lessonOf(
  state: KnownState,
  name: RecordName,
  { method, url }: Pick<RequestHead, 'method' | 'url'>,
  isChange: boolean,
  body: JsonValue | undefined,
): Lesson {
  if (isChange) {
    const sent = state.send(name, body);
    return {
      wantsBody: isAccepted,
      answered(status, record) {
        if (isAccepted(status)) sent.accepted(record);
        else if (status >= 400 && status < 500) sent.rejected();
        else sent.unclear();
      },
      failed(kind) {
        if (kind === 'refused') sent.rejected();
        else sent.unclear();
      },
    };
  }
  if (method === 'DELETE') {
    const begun = state.time;
    return {
      wantsBody: () => false,
      answered(status) {
        if (isAccepted(status)) state.forget(name, begun);
      },
      failed: () => undefined,
    };
  }
  // A query may ask for a part of it.
  const read = state.read(name, splitTarget(url).query !== '');
  const wantsBody = (status: number) => method !== 'HEAD' && isAccepted(status) && status !== 206;
  return {
    wantsBody,
    answered(status, record) {
      if (record && wantsBody(status)) read(record);
    },
    failed: () => undefined,
  };
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}
