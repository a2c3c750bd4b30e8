import { PatchgateError } from '../../../errors.ts';
import type { Gate } from '../../../gate/gate.ts';
import { parseUrl } from '../../../http/url.ts';
import { member } from '../../../json/json.ts';
import { findOffsets } from '../../../json/json-text.ts';
import { askedIn, type EntryOptions, exchangeIn, targetOf } from '../../../recordings/har/from-har.ts';
import { CREATOR, type HarEntry } from '../../../recordings/har/har.ts';
import { checkEntry } from '../../../recordings/har/read-har.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import { attached } from '../../recordings/read-archive.ts';
import type { Beforehand } from '../history/beforehand.ts';
import type { StreamInput } from '../inputs/read-input.ts';
import { type FoundRequest, StreamJudge } from '../judging/stream-judge.ts';
import { NO_BODY } from '../judging/subject-list.ts';
import type { RequestPlaces } from '../places/places-in-file.ts';
import { TextLines } from '../places/text-lines.ts';
import { type HarSlice, HarSlices } from './har-slices.ts';

/**
 * Judges the requests of an HTTP archive as it is read, whether or not they were answered. What the answers show is known of
 * the entries behind them.
 *
 * @throws PatchgateError `bad-input` with file, line and column where it is broken or cut off
 */
export async function judgeHar(
  gate: Gate,
  { name, path: file, chunks }: StreamInput,
  beforehand: Beforehand,
  onJudged?: () => void,
): Promise<CheckedFile> {
  const judge = new StreamJudge(gate, beforehand, file, onJudged);
  const slices = new HarSlices(name);
  let isOwn = false;
  for await (const chunk of chunks) {
    for (const slice of slices.feed(chunk)) {
      if (slice.isEntry) await judgeEntry(slice);
      else if (slice.pointer === '/log/creator') isOwn = isOfPatchgate(slice);
    }
  }
  slices.end();
  return judge.asFile(name, 'har');

  /** What is odd in an answer is no reason not to judge what was asked. */
  async function judgeEntry(slice: HarSlice): Promise<void> {
    const { value, pointer, text, start } = slice;
    const { entry, wrong = { pointer: '', what: '' } } = checkEntry(value);
    if (entry) return judge.judge(await readEntry(entry), slice);
    const request = member(value, 'request');
    const [offset = 0] = findOffsets(text, [{ pointer: wrong.pointer, part: 'value' }]);
    const { line } = new TextLines(text, start).placeOf(offset);
    const [method, url] = [member(request, 'method'), member(request, 'url')];
    judge.skip({
      ...{ pointer, line, method: typeof method === 'string' ? method : '?' },
      path: (typeof url === 'string' && parseUrl(url)?.pathname) || '?',
      why: `${wrong.pointer} ${wrong.what}`.trim(),
    });
  }

  async function readEntry(entry: HarEntry): Promise<FoundRequest> {
    const head = { method: entry.request.method, url: targetOf(entry) };
    const isOfInterest = entry.request.postData?._file || entry.response?.content?._file;
    const beside = isOfInterest ? await attachments(entry) : {};
    const options: EntryOptions = { isOwn, attached: beside };
    const { headers, body } = askedIn(entry, options);
    const known = isMissing(entry, isOwn) && !beside.request ? undefined : body;
    return {
      head: { ...head, headers },
      body: known ?? { missing: NO_BODY },
      places: placesIn(entry),
      exchange: () => exchangeIn(entry, { ...head, headers }, known, options),
    };
  }

  /** Bodies that Playwright keeps beside the archive. One that is not there is missing, as any other may be. */
  async function attachments({
    request,
    response,
  }: HarEntry): Promise<NonNullable<EntryOptions['attached']>> {
    if (file === undefined) return {};
    const read = async (one: string | null | undefined) => {
      try {
        return await attached(file, one);
      } catch (error) {
        if (error instanceof PatchgateError) return undefined;
        throw error;
      }
    };
    return { request: await read(request.postData?._file), response: await read(response?.content?._file) };
  }
}

function isOfPatchgate({ value }: HarSlice): boolean {
  return (value as { name?: unknown } | null)?.name === CREATOR;
}

/** Whether there was a body, for all that is known, and the archive has none of it. */
function isMissing({ request, _patchgate }: HarEntry, isOwn: boolean): boolean {
  if (isOwn) return _patchgate?.omitted?.request !== undefined;
  const { postData, bodySize, headers } = request;
  if (typeof postData?.text === 'string' || (postData?.params ?? []).length > 0) return false;
  const sent = headers?.find(({ name }) => name.toLowerCase() === 'content-length')?.value;
  return !(bodySize === 0 || sent === '0');
}

function placesIn({ request }: HarEntry): RequestPlaces {
  const { text, params, encoding, _encoding } = request.postData ?? {};
  const places = { path: '/request/url', headers: '/request/headers' };
  const body = '/request/postData';
  if (!text && (params ?? []).length > 0) return { ...places, body: `${body}/params`, as: 'coded' };
  if (typeof text !== 'string') return { ...places, body, as: 'coded' };
  const isText = (encoding ?? _encoding ?? '').toLowerCase() !== 'base64';
  return { ...places, body: `${body}/text`, as: isText ? 'text' : 'coded' };
}
