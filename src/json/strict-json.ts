import { type Hazard, scanJson, UNLIMITED } from './scan-json.ts';

/**
 * What is wrong with a file of ours: the first break of the grammar, or a name that comes twice in one object. JSON.parse takes the
 * last of them, and what the first one says would silently be without effect.
 *
 * @returns `offset` in UTF-16 code units from 0
 */
export function faultOf(text: string): { message: string; offset: number } | undefined {
  const repeated: Hazard[] = [];
  const { error } = scanJson(text, UNLIMITED, (hazard) => {
    if (hazard.kind === 'duplicate-key') repeated.push(hazard);
    return repeated.length === 0;
  });
  const [first] = repeated;
  return error ?? (first && { message: `"${first.what}" is given a second time`, offset: first.offset });
}
