import { findOffsets } from '../../json/json-text.ts';
import type { RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import type { Drift } from '../../recordings/drift/drifts.ts';
import type { TextPointer } from '../check/places/places-in-file.ts';

/**
 * Where in a recording's file the values stand from which a live answer differs.
 *
 * @param pointer the exchange's: `/exchanges/3`
 */
export function driftPlaces(
  pointer: string,
  { body }: RecordedResponse,
  drifts: readonly Drift[],
): TextPointer[] {
  const at = (place: string): TextPointer => ({ pointer: `${pointer}/response${place}`, part: 'value' });
  const offsets =
    body && 'text' in body && jsonOf(body) !== undefined ? offsetsIn(body.text, drifts) : undefined;
  return drifts.map((drift, index) => {
    if (drift.at !== 'body') return at(`/${drift.at}`);
    if (!body || 'file' in body || 'omitted' in body || 'base64' in body) return at('/body');
    if ('json' in body) return at(`/body/json${drift.pointer}`);
    if (!offsets) return at('/body/text');
    return { ...at('/body/text'), within: { offset: offsets[index] as number, of: 'text' } };
  });
}

/** In a body that is JSON, and is kept as a text for its spaces. */
function offsetsIn(text: string, drifts: readonly Drift[]): number[] {
  return findOffsets(
    text,
    drifts.map(({ pointer }) => ({ pointer, part: 'value' })),
  );
}
