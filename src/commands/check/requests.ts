/** The requests of a recording's file or an HTTP archive. */
import type { RequestHead } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import { member } from '../../json/json.ts';
import { findPlaces } from '../../json/json-text.ts';
import { type Exchange, isKept } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../recordings/files.ts';
import { askedIn, exchangeIn, targetOf } from '../../recordings/har/from-har.ts';
import type { HarEntry } from '../../recordings/har/har.ts';
import { type HarItem, harEntries } from '../../recordings/har/read-har.ts';
import type { Skipped } from '../../reporters/report.ts';
import { attachedTo } from '../input.ts';
import { headOf, type SentExchange } from '../recorded-history.ts';
import type { Input } from './inputs.ts';
import type { BodyPlace } from './places.ts';

export interface FoundRequest {
  /** Of the request in its file. */
  pointer: string;
  /** Where it begins in an archive. */
  line?: number;
  head: RequestHead;
  /** Undefined: it is not in the file. */
  body: Buffer | undefined;
  place: BodyPlace;
  /** With its answer. */
  exchange(): SentExchange;
}

interface FoundRequests {
  /** The file's. */
  text: string;
  requests: (FoundRequest | Skipped)[];
}

/** In the order of the file. @throws PatchgateError `bad-recording`, `bad-input` with the place where the file is broken */
export function requestsIn({ kind, name, path, bytes }: Input): FoundRequests {
  if (kind === 'har') return inArchive(bytes, name, path);
  const text = decodeRecording(bytes, name);
  return { text, requests: parseRecording(text, name).exchanges.map(recordedRequest) };
}

function recordedRequest(exchange: Exchange, index: number): FoundRequest {
  const { request } = exchange;
  const pointer = `/exchanges/${index}`;
  const [member = ''] = Object.keys(request.body ?? {});
  const place: BodyPlace = {
    pointer: `${pointer}/request${request.body ? `/body/${member}` : ''}`,
    as: member === 'json' || member === 'text' ? member : 'coded',
  };
  const body = isKept(request.body) ? bodyBytes(request.body) : undefined;
  return { pointer, head: headOf(request), body, place, exchange: () => exchange };
}

function inArchive(bytes: Buffer, name: string, path: string | undefined): FoundRequests {
  const { isOwn, items, text } = harEntries(bytes, name);
  const places = findPlaces(
    text,
    items.map(({ pointer }) => ({ pointer, part: 'value' })),
  );
  const requests = items.map((item, i): FoundRequest | Skipped => {
    const { entry, pointer } = item;
    const { line } = places[i] as { line: number };
    if (!entry) return oddEntry(item, line);
    const attached = attachedTo(path, entry);
    const { headers, body: asked } = askedIn(entry, { isOwn, attached });
    const head = { method: entry.request.method, url: targetOf(entry), headers };
    const body = isMissing(entry, isOwn) && !attached.request ? undefined : asked;
    const exchange = () => exchangeIn(entry, head, body, { isOwn, attached });
    return { pointer, line, head, body, place: placeOf(entry, pointer), exchange };
  });
  return { text, requests };
}

function oddEntry({ value, pointer, wrong }: HarItem, line: number): Skipped {
  const [method, url] = ['method', 'url'].map((name) => member(member(value, 'request'), name));
  return {
    ...{ pointer, line, method: typeof method === 'string' ? method : '?' },
    path: (typeof url === 'string' && parseUrl(url)?.pathname) || '?',
    why: `${wrong?.pointer} ${wrong?.what}`.trim(),
  };
}

/** Whether there was a body that the archive does not have. */
function isMissing({ request, _patchgate }: HarEntry, isOwn: boolean): boolean {
  if (isOwn) return _patchgate?.omitted?.request !== undefined;
  const { postData, bodySize, headers } = request;
  if (typeof postData?.text === 'string' || (postData?.params ?? []).length > 0) return false;
  const sent = headers?.find(({ name }) => name.toLowerCase() === 'content-length')?.value;
  return !(bodySize === 0 || sent === '0');
}

function placeOf({ request: { postData } }: HarEntry, pointer: string): BodyPlace {
  const isPlain = !/base64/i.test(postData?.encoding ?? postData?._encoding ?? '');
  if (postData?.text && isPlain) return { pointer: `${pointer}/request/postData/text`, as: 'text' };
  return { pointer: `${pointer}/request${postData ? '/postData' : ''}`, as: 'coded' };
}
