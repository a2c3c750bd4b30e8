import type { Gate } from '../gate/gate.ts';
import { knownOf, learned, seen, tellingOf } from '../guard/kept.ts';
import { MemoryRecords } from '../guard/records.ts';
import type { RequestHead } from '../http/http.ts';
import {
  type Exchange,
  type FailureKind,
  headerPairs,
  isKept,
  type RecordedRequest,
} from '../model/exchange.ts';
import type { Known, RecordName } from '../model/record.ts';
import { bodyBytes, jsonOf } from '../recordings/body.ts';

/** A request with what became of it. */
export interface SentExchange extends Pick<Exchange, 'request'> {
  response?: Exchange['response'];
  failure?: { kind: FailureKind };
}

/** What the records of a service hold after the exchanges of a recording, one by one. */
export class RecordedHistory {
  readonly #gate: Pick<Gate, 'match' | 'recordAt' | 'recordOf'>;
  readonly #records = new MemoryRecords();

  constructor(gate: Pick<Gate, 'match' | 'recordAt' | 'recordOf'>) {
    this.#gate = gate;
  }

  /** What is known of a record by now. */
  of(name: RecordName): Known | undefined {
    const known = knownOf(this.#records.of(name));
    return known && { record: known.record, isWhole: known.isWhole };
  }

  /** What is known of a record at first. */
  begin(name: RecordName, known: Known): void {
    this.#records.put(name, { ...seen(undefined, name, known.record, 0), isPart: !known.isWhole });
  }

  /** The next exchange, in the order of recording. */
  add({ request, response, failure }: SentExchange): void {
    const head = headOf(request);
    const match = this.#gate.match(head);
    const name = match ? this.#gate.recordOf(match) : this.#gate.recordAt(head.url);
    if (name?.kind !== 'project') return;
    const body = request.body && isKept(request.body) ? bodyBytes(request.body) : undefined;
    const json = match && body && jsonOf({ text: body.toString('utf8') });
    const bytes = response?.body && isKept(response.body) ? bodyBytes(response.body) : undefined;
    const refused = failure?.kind === 'refused' ? 'unsent' : undefined;
    const answered = failure || !response ? refused : { status: response.status, headers: [], bytes };
    const kept = learned(this.#records.of(name), tellingOf(name, head, json), answered);
    if (kept) this.#records.put(name, kept);
  }
}

/**
 * The head of a recorded request, as the gate takes it. A recording keeps bodies with their content coding undone: what the
 * headers say of that no longer holds.
 */
export function headOf({ method, path, query, headers }: RecordedRequest): RequestHead {
  const pairs = headerPairs(headers).filter(([name]) => !OF_BYTES.has(name));
  return { method, url: query === '' ? path : `${path}?${query}`, headers: pairs.flat() };
}

const OF_BYTES: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);
