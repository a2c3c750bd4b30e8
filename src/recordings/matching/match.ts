import { hash } from 'node:crypto';
import { type Exchange, isInline } from '../../model/exchange.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { REDACTED } from '../redaction/redact-text.ts';
import { matches } from './matches.ts';
import { bodySize, requestKey, requestKeyWith } from './request-key.ts';
import type { SentRequest } from './sent-request.ts';

/** The exchanges that answer a request, oldest first; never none. */
export interface Match {
  /** The same for every request that matching takes for this one. */
  key: string;
  exchanges: readonly Exchange[];
}

/** What is derived from the exchanges of one method and path, as long as nothing is appended. */
interface Index {
  /** By the very bytes of query and body: what has been recorded, and what has been sent and understood since. */
  byBytes: Map<string, Match>;
  /** By `requestKey`. */
  byKey: Map<string, Match>;
  /** `bodySize` of these: most requests that match none of them are known by it. */
  sizes: Set<string>;
  /** Exchanges with a placeholder in the request, which no key finds. */
  open: Exchange[];
}

/** Requests that are remembered beyond the recorded ones. */
const REMEMBERED = 1000;

const indexes = new WeakMap<readonly Exchange[], Index>();

/**
 * Which of the exchanges recorded for this method and path the request is: the same query (in any order) and the same
 * body (JSON: by value, else by its bytes), the recording's `[redacted]` standing for any value.
 */
export function matchRequest(recorded: readonly Exchange[], sent: SentRequest): Match | undefined {
  if (recorded.length === 0) return undefined;
  let index = indexes.get(recorded);
  if (index === undefined) {
    index = indexOf(recorded);
    indexes.set(recorded, index);
  }
  const bytes = bytesKey(sent.query, sent.body);
  const known = index.byBytes.get(bytes);
  if (known !== undefined) return known;
  const match = compare(recorded, index, sent);
  if (match !== undefined) remember(index, bytes, match, recorded.length);
  return match;
}

function compare(recorded: readonly Exchange[], index: Index, sent: SentRequest): Match | undefined {
  const { request, json } = sent.compared;
  const same = index.sizes.has(bodySize(request.body, json))
    ? index.byKey.get(requestKeyWith(request, json))
    : undefined;
  const open = index.open.filter((exchange) => matches(exchange.request, sent.compared));
  if (open.length === 0) return same;
  const all = new Set([...open, ...(same?.exchanges ?? [])]);
  const exchanges = recorded.filter((exchange) => all.has(exchange));
  return { key: requestKey((exchanges[0] as Exchange).request), exchanges };
}

function indexOf(recorded: readonly Exchange[]): Index {
  const index: Index = { byBytes: new Map(), byKey: new Map(), sizes: new Set(), open: [] };
  const groups = new Map<string, Exchange[]>();
  for (const exchange of recorded) {
    const { request } = exchange;
    const body = isInline(request.body) ? bodyBytes(request.body) : undefined;
    if (request.query.includes(REDACTED) || body?.includes(REDACTED)) {
      index.open.push(exchange);
      continue;
    }
    const json = request.body && jsonOf(request.body);
    const key = requestKeyWith(request, json);
    const group = groups.get(key);
    if (group) group.push(exchange);
    else {
      const exchanges = [exchange];
      groups.set(key, exchanges);
      index.byKey.set(key, { key, exchanges });
      index.sizes.add(bodySize(request.body, json));
    }
    if (body) index.byBytes.set(bytesKey(request.query, body), index.byKey.get(key) as Match);
  }
  // An exchange with a placeholder may match these bytes too: then nothing is known before it is compared.
  if (index.open.length > 0) index.byBytes.clear();
  return index;
}

/** Bodies up to here are their own key: that is cheaper than a hash, and takes little memory. */
const SHORT = 2048;

function bytesKey(query: string, body: Buffer): string {
  if (body.length === 0) return query;
  const name = body.length <= SHORT ? body.toString('latin1') : `sha1 ${hash('sha1', body, 'base64')}`;
  // No query holds a line feed.
  return `${query}\n${name}`;
}

function remember(index: Index, bytes: string, match: Match, recorded: number): void {
  if (index.byBytes.size >= recorded + REMEMBERED) {
    index.byBytes.delete(index.byBytes.keys().next().value as string);
  }
  index.byBytes.set(bytes, match);
}
