import { splitTarget } from '../../http/http.ts';
import { isObject } from '../../json/json.ts';
import { queryValues } from '../../recordings/matching/query.ts';
import { AS_SENT, EXCHANGES_KEPT, type SentExchanges } from '../../server/exchange-list.ts';
import type { ShownBody, ShownExchange, ShownHeaders } from '../../server/show-exchange.ts';

/** Of a body that is not there as a whole: what it is, nobody knows. */
export const UNKNOWN = Symbol('unknown');

/** What is compared of an exchange. */
export interface Facts {
  method: string;
  path: string;
  /** By name; one that comes several times has a list. */
  query: Record<string, string | string[]>;
  /** Of the request; names in lower case. */
  headers: Record<string, string>;
  /** `''` where there is none; of bytes that are no text, a Buffer. */
  body: unknown;
  /** Undefined where there was no response. */
  status: number | undefined;
  session: string;
}

/** An exchange, and what it was before it was redacted; where nobody knows that any more, both are the same. */
export interface SeenExchange {
  shown: ShownExchange;
  sent: ShownExchange;
}

export interface SeenExchanges {
  /** Oldest first. */
  all: SeenExchange[];
  /** There were others, of which nobody knows any more. */
  areCut: boolean;
}

/**
 * The exchanges of a gate or one of its sessions; undefined where this is neither.
 *
 * @param gate whatever was given to `expect`
 */
export function exchangesOf(gate: unknown): SeenExchanges | undefined {
  const shown = listOf(called(gate, 'exchanges'));
  if (shown === undefined) return undefined;
  const asSent = called(gate, AS_SENT) as SentExchanges | undefined;
  const sent = new Map(listOf(asSent?.exchanges)?.map((one) => [one.id, one]));
  const all = shown.map((one) => ({ shown: one, sent: sent.get(one.id) ?? one }));
  return {
    all: all.sort((a, b) => a.shown.id - b.shown.id),
    areCut: asSent?.areCut ?? shown.length >= EXCHANGES_KEPT,
  };
}

function called(gate: unknown, method: 'exchanges' | typeof AS_SENT): unknown {
  if (typeof gate !== 'object' || gate === null || !(method in gate)) return undefined;
  const list: unknown = (gate as Record<typeof method, unknown>)[method];
  return typeof list === 'function' ? list.call(gate) : undefined;
}

function listOf(given: unknown): ShownExchange[] | undefined {
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given)) return undefined;
  const all = [...(given as Iterable<ShownExchange>)];
  return all.every((one) => isObject(one?.request)) ? all : undefined;
}

export function factsOf({ request, response, session = '' }: ShownExchange): Facts {
  const { path, query } = splitTarget(request.url);
  return {
    method: request.method,
    path,
    query: queryOf(query),
    headers: headersOf(request.headers),
    body: bodyOf(request.body),
    status: response?.status,
    session,
  };
}

/** @param query without the `?` */
export function queryOf(query: string): Facts['query'] {
  const values = Array.from(queryValues(query), ([name, list]): [string, string | string[]] => [
    name,
    list.length === 1 ? (list[0] as string) : list,
  ]);
  return Object.fromEntries(values);
}

function headersOf(headers: ShownHeaders): Facts['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, headerText(name, value) as string]),
  );
}

/** One text of a header that came several times; anything else as it is. @param name in lower case */
export function headerText(name: string, value: unknown): unknown {
  return Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value;
}

function bodyOf(body: ShownBody | undefined): unknown {
  if (body === undefined) return '';
  if (body.cut) return UNKNOWN;
  if ('json' in body) return body.json;
  return 'text' in body ? body.text : Buffer.from(body.base64, 'base64');
}

/** Whether target, fake or recording answered it, or a fault that somebody asked for; not the gate for itself. */
export function isServed({ response, answeredBy, fault, failure }: ShownExchange): boolean {
  if (response === undefined) return false;
  return ANSWERING.includes(answeredBy) || (fault !== undefined && failure === undefined);
}

/** What became of an exchange that was not served. */
export function whyNotServed({ response, verdict, failure }: ShownExchange): 'blocked' | 'missed' | 'failed' {
  if (verdict?.outcome === 'block') return 'blocked';
  return response?.status === 501 && failure !== undefined ? 'missed' : 'failed';
}

const ANSWERING: readonly ShownExchange['answeredBy'][] = ['target', 'fake', 'recording'];
