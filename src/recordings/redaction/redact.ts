/**
 * Redaction: nothing is written or shown before it went through here. Every function gives back the very value that it
 * was given where nothing is to be hidden, and may tell what it hid.
 */
export type { FoundSecret, OnFound } from './found-secret.ts';
export { isForm, redactBytes } from './redact-bytes.ts';
export { redactExchange } from './redact-exchange.ts';
export { redactJson } from './redact-json.ts';
export {
  codingOf,
  contentTypeOf,
  redactBody,
  redactBodyStart,
  redactFlatHeaders,
  redactHeader,
  redactRawHeaders,
  wholeCharacters,
} from './redact-parts.ts';
export { redactText } from './redact-text.ts';
export { pathsWithToken, redactPath, redactQuery, redactUrl } from './redact-url.ts';
