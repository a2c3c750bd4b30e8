import { header, type RawHeaders } from '../http/http.ts';
import type { Finding } from '../model/finding.ts';
import { requestFinding } from './request-rules.ts';

const JSON_TYPE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i;
/** Between `;`, which may stand in a quoted string too; one that does not end takes all the rest. */
const PARTS = /(?:"(?:[^"\\]|\\.)*"?|[^;])+/g;
const UTF8 = /^charset[ \t]*=[ \t]*(?:utf-?8|"utf-?8")$/i;
/** Words that some reader looks for in the whole value: that of `charset*=`, `xcharset=` and `x="charset=…"` as well. */
const CHARSET = /charset/i;
const FORM = /urlencoded|multipart/i;

/** Whether the type of the body says JSON in UTF-8, and nothing else to any reader. */
export function checkContentType(headers: RawHeaders): Finding[] {
  const value = header(headers, 'content-type');
  if (value === 'application/json') return [];
  if (value === undefined || value.trim() === '')
    return [finding('Content-Type is missing; the body is judged as JSON', 'warn')];
  const [type = '', ...parameters] = value.trim().startsWith(';')
    ? []
    : (value.match(PARTS) ?? []).map((part) => part.trim());
  if (!JSON_TYPE.test(type)) return [finding(`Content-Type is ${shown(type)}, not JSON`)];
  if (FORM.test(value)) return [finding(`Content-Type is JSON, yet some read ${shown(value)} as a form`)];
  const charsets = parameters.filter((parameter) => CHARSET.test(parameter.replaceAll('\\', '')));
  if (charsets.length === 0 || (charsets.length === 1 && UTF8.test(charsets[0] as string))) return [];
  return [finding(`the charset is not plainly UTF-8: ${charsets.map(shown).join(', ')}`)];
}

function finding(message: string, severity: Finding['severity'] = 'error'): Finding {
  return requestFinding('request.content-type', message, {
    hint: 'send Content-Type: application/json',
    severity,
  });
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
