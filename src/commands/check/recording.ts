import { isKept } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import { decodeRecording, parseRecording } from '../../recordings/files.ts';
import { headOf } from '../recorded-history.ts';
import { requestPlaces } from './places.ts';
import type { FoundRequests, Input } from './read-input.ts';

/** @throws PatchgateError `bad-recording` where the file is broken */
export function requestsOfRecording({ name, bytes }: Input): FoundRequests {
  const text = decodeRecording(bytes, name);
  const { exchanges } = parseRecording(text, name);
  const requests = exchanges.map((exchange, index) => {
    const { request } = exchange;
    const pointer = `/exchanges/${index}`;
    return {
      ...{ pointer, head: headOf(request), exchange: () => exchange },
      body: isKept(request.body) ? bodyBytes(request.body) : undefined,
      places: requestPlaces(`${pointer}/request`, request),
    };
  });
  return { text, requests };
}
