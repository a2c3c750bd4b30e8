import type { JsonValue } from '../../json/json.ts';
import { REDACTED } from '../redaction/redacted.ts';

/** Of either byte order: what one begins with, the other ends with. */
const WIDE = Buffer.from(REDACTED, 'utf16le').subarray(0, -1);

/** Whether a placeholder stands somewhere in a body, be that UTF-16. */
export function holdsPlaceholder(bytes: Buffer): boolean {
  return bytes.includes(REDACTED) || bytes.includes(WIDE);
}

/** The same of a value, its members' names too. */
export function isPlaceholderIn(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes(REDACTED);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(isPlaceholderIn);
  for (const name in value) {
    if (name.includes(REDACTED) || isPlaceholderIn(value[name] as JsonValue)) return true;
  }
  return false;
}
