import { splitTarget } from '../../model/http.ts';
import { isObject } from '../../model/json.ts';
import { queryValues } from '../../recordings/matching/query.ts';
import type { ShownBody, ShownExchange } from '../../server/show-exchange.ts';

/** Of a body that is not there as a whole: what it is, nobody knows. */
export const UNKNOWN = Symbol('unknown');

/** What is compared of an exchange. */
export interface Facts {
  method: string;
  path: string;
  /** By name; one that comes several times has a list. */
  query: Record<string, string | string[]>;
  /** `''` where there is none; of bytes that are no text, a Buffer. */
  body: unknown;
  /** Undefined where there was no response. */
  status: number | undefined;
  session: string;
}

/**
 * The exchanges of a gate or one of its sessions, oldest first; undefined where this is neither.
 *
 * @param gate whatever was given to `expect`
 */
export function exchangesOf(gate: unknown): ShownExchange[] | undefined {
  if (typeof gate !== 'object' || gate === null || !('exchanges' in gate)) return undefined;
  const { exchanges } = gate;
  if (typeof exchanges !== 'function') return undefined;
  const list: unknown = exchanges.call(gate);
  if (typeof list !== 'object' || list === null || !(Symbol.iterator in list)) return undefined;
  const all = [...(list as Iterable<ShownExchange>)];
  return all.every((one) => isObject(one?.request)) ? all.sort((a, b) => a.id - b.id) : undefined;
}

export function factsOf({ request, response, session = '' }: ShownExchange): Facts {
  const { path, query } = splitTarget(request.url);
  return {
    method: request.method,
    path,
    query: queryOf(query),
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
