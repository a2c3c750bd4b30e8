import { parseUrl } from '../../http/url.ts';
import { member } from '../../json/json.ts';
import { findPlaces, type Place } from '../../json/json-text.ts';
import { askedIn, type EntryOptions, exchangeIn, targetOf } from '../../recordings/har/from-har.ts';
import type { HarEntry } from '../../recordings/har/har.ts';
import { type HarItem, harEntries } from '../../recordings/har/read-har.ts';
import type { Skipped } from '../../reporters/report.ts';
import { attachedTo } from '../input.ts';
import type { RequestPlaces } from './places.ts';
import type { FoundRequest, FoundRequests, Input } from './read-input.ts';

/**
 * The requests of an HTTP archive, whether or not they were answered, and those that cannot be read.
 *
 * @throws PatchgateError `bad-input` with file, line and column where it is broken or cut off
 */
export function requestsOfArchive(input: Input): FoundRequests {
  const archive = harEntries(input.bytes, input.name);
  return { text: archive.text, requests: requestsOf(archive, input.path) };
}

async function* requestsOf(
  { isOwn, items, text }: ReturnType<typeof harEntries>,
  path: string | undefined,
): AsyncGenerator<FoundRequest | Skipped> {
  const places = findPlaces(
    text,
    items.map(({ pointer }) => ({ pointer, part: 'value' })),
  );
  for (const [index, item] of items.entries()) {
    const { line } = places[index] as Place;
    const { entry, pointer } = item;
    if (!entry) {
      yield oddEntry(item, line);
      continue;
    }
    const beside: NonNullable<EntryOptions['attached']> =
      path === undefined ? {} : await attachedTo(path, entry);
    const options: EntryOptions = { isOwn, attached: beside };
    const { headers, body: asked } = askedIn(entry, options);
    const head = { method: entry.request.method, url: targetOf(entry), headers };
    const body = isMissing(entry, isOwn) && !beside.request ? undefined : asked;
    yield {
      ...{ pointer, line, head, body },
      places: placesOf(entry, pointer),
      exchange: () => exchangeIn(entry, head, body, options),
    };
  }
}

/** The others are judged all the same. */
function oddEntry({ value, pointer, wrong }: HarItem, line: number): Skipped {
  const request = member(value, 'request');
  const [method, url] = [member(request, 'method'), member(request, 'url')];
  return {
    ...{ pointer, line, method: typeof method === 'string' ? method : '?' },
    path: (typeof url === 'string' && parseUrl(url)?.pathname) || '?',
    why: `${wrong?.pointer} ${wrong?.what}`.trim(),
  };
}

/** Whether there was a body, for all that is known, and the archive has none of it. */
function isMissing({ request, _patchgate }: HarEntry, isOwn: boolean): boolean {
  if (isOwn) return _patchgate?.omitted?.request !== undefined;
  const { postData, bodySize, headers } = request;
  if (typeof postData?.text === 'string' || (postData?.params ?? []).length > 0) return false;
  const sent = headers?.find(({ name }) => name.toLowerCase() === 'content-length')?.value;
  return !(bodySize === 0 || sent === '0');
}

function placesOf({ request }: HarEntry, pointer: string): RequestPlaces {
  const { text, params, encoding, _encoding } = request.postData ?? {};
  const places = { path: `${pointer}/request/url`, headers: `${pointer}/request/headers` };
  const body = `${pointer}/request/postData`;
  if (!text && (params ?? []).length > 0) return { ...places, body: `${body}/params`, as: 'coded' };
  if (typeof text !== 'string') return { ...places, body, as: 'coded' };
  const isText = (encoding ?? _encoding ?? '').toLowerCase() !== 'base64';
  return { ...places, body: `${body}/text`, as: isText ? 'text' : 'coded' };
}
