import type { Gate } from '../gate/gate.ts';
import { type Kept, knownOf, learned, tellingOf } from '../guard/kept.ts';
import type { RequestHead } from '../http/http.ts';
import { type Exchange, headerPairs, isKept, type RecordedRequest } from '../model/exchange.ts';
import { type Known, type RecordName, recordKey } from '../model/record.ts';
import { bodyBytes, jsonOf } from '../recordings/body.ts';

/** A request with its answer, where there was one. */
export type SentExchange = Pick<Exchange, 'request'> & Partial<Pick<Exchange, 'response'>>;

/** What the projects of a service hold after the exchanges of a recording, one by one. */
export class RecordedHistory {
  readonly #gate: Pick<Gate, 'match' | 'recordAt' | 'recordOf'>;
  readonly #records = new Map<string, Kept>();

  constructor(gate: Pick<Gate, 'match' | 'recordAt' | 'recordOf'>) {
    this.#gate = gate;
  }

  /** What is known of a record by now. */
  of(name: RecordName): Known | undefined {
    const known = knownOf(this.#records.get(recordKey(name)));
    return known && { record: known.record, isWhole: known.isWhole };
  }

  /** The next exchange, in the order of recording. */
  add({ request, response }: SentExchange): void {
    const head = headOf(request);
    const match = this.#gate.match(head);
    const name = match ? this.#gate.recordOf(match) : this.#gate.recordAt(head.url);
    if (name?.kind !== 'project') return;
    const body = match && isKept(request.body) ? bodyBytes(request.body) : undefined;
    const bytes = response?.body && isKept(response.body) ? bodyBytes(response.body) : undefined;
    const telling = tellingOf(name, head, body && jsonOf({ text: body.toString('utf8') }));
    const answered = response && { status: response.status, headers: [], bytes };
    const kept = learned(this.#records.get(recordKey(name)), telling, answered);
    if (kept) this.#records.set(recordKey(name), kept);
  }
}

/** The head of a recorded request. Its body is kept with its content coding undone. */
export function headOf({ method, path, query, headers }: RecordedRequest): RequestHead {
  const pairs = headerPairs(headers).filter(([name]) => !/^content-(?:encoding|length)$/.test(name));
  return { method, url: query === '' ? path : `${path}?${query}`, headers: pairs.flat() };
}
