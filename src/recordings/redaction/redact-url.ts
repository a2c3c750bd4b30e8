import { decodePart } from './decode-part.ts';
import { encodePart } from './encode-part.ts';
import type { OnFound } from './found-secret.ts';
import { redactPairs, redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';

/** A URL or request target, of any form, without secret query members and without `user:password@`. */
export function redactUrl(url: string, redaction: Redaction, place = 'url', onFound?: OnFound): string {
  let clean = url;
  let origin = '';
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(url)?.[0];
  if (authority !== undefined) {
    origin = authority.replace(/\/\/[\s\S]*@/, `//${REDACTED}@`);
    clean = url.slice(authority.length);
  }
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(clean) ?? [];
  return (
    origin +
    redactPath(path, redaction, `${place}/path`, onFound) +
    (query === undefined ? '' : `?${redactPairs(query, redaction, 'query', onFound)}`) +
    // Some sign-in flows send tokens back in the fragment.
    (fragment === undefined ? '' : `#${redactPairs(fragment, redaction, 'fragment', onFound)}`)
  );
}

/** A query without its `?`. */
export function redactQuery(query: string, redaction: Redaction, onFound?: OnFound): string {
  return query === '' ? query : redactPairs(query, redaction, 'query', onFound);
}

/** A path without its query. A secret can only be known by its looks, or by the name before it: `;token=…`. */
export function redactPath(path: string, redaction: Redaction, place = 'path', onFound?: OnFound): string {
  if (!(path.includes('%') || redaction.mayBeIn(path))) return path;
  const named = redaction.detects ? path.replace(USER_INFO, hideUserInfo) : path;
  const segments = named.split('/').map((segment) => {
    const plain = decodePart(segment.replaceAll('+', '%2B'));
    const clean = redactText(plain, redaction, place, onFound);
    if (clean === plain) return segment;
    return plain === segment || clean === REDACTED ? clean : encodePart(clean);
  });
  return segments.join('/');

  function hideUserInfo(all: string, before: string, value: string): string {
    if (value === REDACTED) return all;
    onFound?.({ what: 'a password in a URL', place, isDetected: true, value });
    return before + REDACTED;
  }
}

/** A path may hold a URL, whose parts are no segments of it. */
const USER_INFO = /(:\/\/)([^/?#@\s]*:[^/?#@\s]+)(?=@)/g;
