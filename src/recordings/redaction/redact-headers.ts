import { headerValues, type RawHeaders } from '../../http/http.ts';
import type { StoredHeaders } from '../../model/exchange.ts';
import { redactText } from './redact-text.ts';
import { redactUrl } from './redact-url.ts';
import { REDACTED } from './redacted.ts';
import { foundByName, type OnFound, type Redaction } from './redaction.ts';

/** Headers whose value is a URL. */
const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);

/** Headers for showing: each stays, with the placeholder where its value is secret. */
export function redactRawHeaders(headers: RawHeaders, redaction: Redaction): string[] {
  return headers.map((text, i) =>
    i % 2 === 0 ? text : redactHeader((headers[i - 1] as string).toLowerCase(), text, redaction),
  );
}

/** The same for names in lower case. */
export function redactFlatHeaders(
  headers: readonly string[],
  redaction: Redaction,
  onFound?: OnFound,
): readonly string[] {
  let clean: string[] | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    if (!URL_HEADERS.has(name) && !redaction.headers.has(name) && !redaction.mayBeInRecurring(value))
      continue;
    const cleanValue = redactHeader(name, value, redaction, onFound);
    if (cleanValue === value) continue;
    clean ??= headers.slice();
    clean[i + 1] = cleanValue;
  }
  return clean ?? headers;
}

/** Those that are kept with an exchange. */
export function redactStoredHeaders(
  headers: StoredHeaders,
  redaction: Redaction,
  onFound?: OnFound,
): StoredHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? redactHeader(name, value, redaction, onFound)
        : value.map((one) => redactHeader(name, one, redaction, onFound)),
    ]),
  );
}

/** One header's value. The name is given in lower case. */
export function redactHeader(name: string, value: string, redaction: Redaction, onFound?: OnFound): string {
  const place = `headers/${name}`;
  if (redaction.headers.has(name)) {
    if (value !== REDACTED) onFound?.(foundByName(name, place, value));
    return REDACTED;
  }
  if (URL_HEADERS.has(name)) return redactUrl(value, redaction, place, onFound);
  return redactText(value, redaction, place, onFound);
}

/** The content codings of all headers that name some: some send one for each, or the same twice. */
export function codingOf(headers: RawHeaders): string | undefined {
  const values = headerValues(headers, 'content-encoding');
  return values.length === 0 ? undefined : values.join(',');
}

/** The media type that stored headers say, or undefined. */
export function contentTypeOf(headers: StoredHeaders): string | undefined {
  const value = headers['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}
