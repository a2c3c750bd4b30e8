import type { Finding } from '../model/finding.ts';

const LIMIT = 4096;

/**
 * The value of `Patchgate-Findings`: `[{"rule":"…","severity":"…","pointer":"…"}]`. Always valid JSON, in ASCII, of at
 * most 4 KiB: the first findings that fit, each of them whole. How many there were in all is not said.
 */
export function findingsHeader(findings: readonly Finding[]): string {
  let items = '';
  for (const { rule, severity, pointer } of findings) {
    const item = inAscii(JSON.stringify({ rule, severity, pointer }));
    if (items.length + item.length + 3 > LIMIT) break;
    items += items === '' ? item : `,${item}`;
  }
  return `[${items}]`;
}

/** JSON itself escapes what is below a space. */
function inAscii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
