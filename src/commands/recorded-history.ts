import type { Gate } from '../gate/gate.ts';
import { type Kept, knownOf, learned, tellingOf } from '../guard/kept.ts';
import type { RequestHead } from '../http/http.ts';
import { type Exchange, headerPairs, isKept, type RecordedRequest } from '../model/exchange.ts';
import { type Known, type RecordName, recordKey } from '../model/record.ts';
import { bodyBytes, jsonOf } from '../recordings/body.ts';

/** A request with its answer, where there was one. */
export type SentExchange = Pick<Exchange, 'request'> & Partial<Pick<Exchange, 'response'>>;

/** What the projects of a service hold after the exchanges of a recording, added one by one in their order. */
export function recordedHistory(gate: Pick<Gate, 'match' | 'recordAt' | 'recordOf'>) {
  const records = new Map<string, Kept>();
  return {
    of(name: RecordName): Known | undefined {
      const known = knownOf(records.get(recordKey(name)));
      return known && { ...known, seenAt: undefined };
    },
    add({ request, response }: SentExchange): void {
      const head = headOf(request);
      const match = gate.match(head);
      const name = match ? gate.recordOf(match) : gate.recordAt(head.url);
      if (name?.kind !== 'project') return;
      const body = match && isKept(request.body) ? bodyBytes(request.body) : undefined;
      const bytes = response?.body && isKept(response.body) ? bodyBytes(response.body) : undefined;
      const telling = tellingOf(name, head, body && jsonOf({ text: body.toString('utf8') }));
      const answered = response && { status: response.status, headers: [], bytes };
      const kept = learned(records.get(recordKey(name)), telling, answered);
      if (kept) records.set(recordKey(name), kept);
    },
  };
}

/** The head of a recorded request. Its body is kept with its content coding undone. */
export function headOf({ method, path, query, headers }: RecordedRequest): RequestHead {
  const pairs = headerPairs(headers).filter(([name]) => !/^content-(?:encoding|length)$/.test(name));
  return { method, url: query === '' ? path : `${path}?${query}`, headers: pairs.flat() };
}
