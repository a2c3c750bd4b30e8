/** The requests of a recording's file or an HTTP archive. */
import type { RequestHead } from '../../http/http.ts';
import { type Exchange, headerPairs, type RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../recordings/files.ts';
import { answerIn, type HarEntry, harEntries, isBase64, requestIn } from '../../recordings/har/from-har.ts';
import type { Input } from './inputs.ts';
import type { BodyPlace } from './places.ts';

interface FoundRequest {
  /** Of the request in its file. */
  pointer: string;
  head: RequestHead;
  /** Undefined: it is not in the file. */
  body: Buffer | undefined;
  place: BodyPlace;
  /** Undefined: there was none. */
  answer(): { status: number; bytes: Buffer } | undefined;
}

interface FoundRequests {
  /** The file's. */
  text: string;
  /** In its order. */
  requests: FoundRequest[];
}

/** @throws PatchgateError `bad-recording`, `bad-input` with the place if the file is broken */
export function requestsIn({ kind, name, bytes }: Input): FoundRequests {
  if (kind === 'har') {
    const { entries, text } = harEntries(bytes, name);
    return { text, requests: entries.map(archivedRequest) };
  }
  const text = decodeRecording(bytes, name);
  return { text, requests: parseRecording(text, name).exchanges.map(recordedRequest) };
}

function recordedRequest({ request, response }: Exchange, index: number): FoundRequest {
  const pointer = `/exchanges/${index}`;
  const [member = ''] = Object.keys(request.body ?? {});
  const place: BodyPlace = {
    pointer: `${pointer}/request${request.body ? `/body/${member}` : ''}`,
    as: member === 'json' || member === 'text' ? member : 'coded',
  };
  const answer = () => ({ status: response.status, bytes: bodyBytes(response.body) });
  return { pointer, head: headOf(request), body: bodyBytes(request.body), place, answer };
}

function archivedRequest(entry: HarEntry, index: number): FoundRequest {
  const pointer = `/log/entries/${index}`;
  const { head, body: asked } = requestIn(entry);
  const { postData, bodySize } = entry.request;
  const body = postData || bodySize === 0 ? asked : undefined;
  const isText = postData?.text && !isBase64(postData);
  const member = `${postData ? '/postData' : ''}${isText ? '/text' : ''}`;
  const place: BodyPlace = { pointer: `${pointer}/request${member}`, as: isText ? 'text' : 'coded' };
  return { pointer, head, body, place, answer: () => answerIn(entry) };
}

/** The head of a recorded request. Its body is kept with its content coding undone. */
function headOf({ method, path, query, headers }: RecordedRequest): RequestHead {
  const pairs = headerPairs(headers).filter(([name]) => !/^content-(?:encoding|length)$/.test(name));
  return { method, url: query === '' ? path : `${path}?${query}`, headers: pairs.flat() };
}
