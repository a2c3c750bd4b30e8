/**
 * Redaction: nothing is written or shown before it went through here. Every function gives back the very value that it
 * was given where nothing is to be hidden, and may tell what it hid.
 */
export { isForm, redactBody, redactBodyStart, redactBytes, wholeCharacters } from './redact-body.ts';
export { redactExchange } from './redact-exchange.ts';
export {
  codingOf,
  contentTypeOf,
  redactFlatHeaders,
  redactHeader,
  redactRawHeaders,
  redactStoredHeaders,
} from './redact-headers.ts';
export { redactJson } from './redact-json.ts';
export { redactText } from './redact-text.ts';
export { pathsWithToken, redactPath, redactQuery, redactUrl } from './redact-url.ts';
export type { FoundSecret, OnFound } from './redaction.ts';
