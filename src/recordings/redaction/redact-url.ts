import { decodePart, encodePart } from './decode-part.ts';
import { redactPairs, redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import type { OnFound, Redaction } from './redaction.ts';
import { isLikeToken, isOpaque, isRandom } from './secret-kinds.ts';

/** A URL or request target, of any form, without secret query members and without `user:password@`. */
export function redactUrl(url: string, redaction: Redaction, place = 'url', onFound?: OnFound): string {
  const [authority = ''] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(url) ?? [];
  const rest = url.slice(authority.length);
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(rest) ?? [];
  return (
    authority.replace(/\/\/[\s\S]*@/, `//${REDACTED}@`) +
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

/** What a token follows in a path, besides the names of secrets: `/environments/KEY`, `/reset/TOKEN`. */
const BEFORE_TOKEN =
  /^(?:environments?|env|sdk|datafiles?|keys?|invites?|invitations?|reset|activate|verify|confirm|unsubscribe)$/i;
/** A path may hold a URL, whose parts are no segments of it. */
const USER_INFO = /(:\/\/)([^/?#@\s]*:[^/?#@\s]+)(?=@)/g;
const MAY_HAVE_TOKEN = /\/[^/]{16}|[%;]/;
/** Characters of a token that nothing else tells. */
const LEAST_RANDOM = 32;
const LEAST_FOLLOWING = 16;

/**
 * A path without its query. A secret is known by its looks, by the name before it (`;token=…`, `/tokens/…`), or because
 * another message has named it.
 */
export function redactPath(path: string, redaction: Redaction, place = 'path', onFound?: OnFound): string {
  if (!(MAY_HAVE_TOKEN.test(path) || redaction.mayBeInRecurring(path))) return path;
  const named = redaction.detects ? path.replace(USER_INFO, hideUserInfo) : path;
  let before = '';
  const segments = named.split('/').map((segment) => {
    const plain = decodePart(segment.replaceAll('+', '%2B'));
    const follows = before;
    before = plain;
    let clean = redactText(plain, redaction, place, onFound);
    if (clean === plain && isToken(plain, follows)) {
      onFound?.({ what: 'a token', place, isDetected: true, value: plain });
      clean = REDACTED;
    }
    if (clean === plain) return plain === REDACTED ? REDACTED : segment;
    return plain === segment || clean === REDACTED ? clean : encodePart(clean);
  });
  return segments.join('/');

  function isToken(plain: string, follows: string): boolean {
    const { detects, given, members } = redaction;
    if (given.has(plain)) return true;
    if (!detects || plain.length < LEAST_FOLLOWING || plain === REDACTED) return false;
    if (isRandom(plain, LEAST_RANDOM)) return true;
    return (BEFORE_TOKEN.test(follows) || members.has(follows)) && isOpaque(plain, LEAST_FOLLOWING);
  }

  function hideUserInfo(all: string, before: string, value: string): string {
    if (value === REDACTED) return all;
    onFound?.({ what: 'a password in a URL', place, isDetected: true, value });
    return before + REDACTED;
  }
}

/** The path itself, and each one that it is if one of its segments is a token. */
export function pathsWithToken(path: string): string[] {
  const segments = path.split('/');
  const others = segments.flatMap((segment, i) =>
    isLikeToken(decodePart(segment)) ? [segments.with(i, REDACTED).join('/')] : [],
  );
  return [path, ...others];
}
