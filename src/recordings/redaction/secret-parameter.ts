import { decodePart } from './decode-part.ts';
import { isOpaque } from './secret-kinds.ts';
import { isHarmless, type Names, partsOf } from './secret-name.ts';

/** As parameters of queries and forms, these are secrets besides. */
const PARAMETERS = 'sig|saml[-_]?response|(?:client[-_]?)?assertion|x-(?:amz|goog)-[a-z-]+';
const IS_PARAMETER = new RegExp(`^(?:${PARAMETERS})$`, 'i');
/** These are so by what they hold; `code` also beside what OAuth sends with it. */
const OPEN_PARAMETERS = 'code|key|sid|auth';
const IS_OPEN = new RegExp(`^(?:${OPEN_PARAMETERS})$`, 'i');
/** One of them behind a `?` or `&`. */
export const PARAMETER_HERE = new RegExp(`(?:${PARAMETERS}|${OPEN_PARAMETERS})=`, 'iy');
const BESIDE_OAUTH =
  /(?:^|[?&#;\s"'])(?:grant_type|client_id|client_secret|redirect_ur[il]|code_verifier|code_challenge|session_state|response_type)(?:=|"\s*:)/;
const BESIDE_STATE = /(?:^|[?&#;])state=/;
/** Of the shortest code that `state` alone makes one: `?state=NY&code=10001` is an address. */
const SHORTEST_CODE = 8;

/**
 * Whether a parameter is a secret, by its name or by what it holds. Forms also nest: `user[password]`, `user.password`; a
 * fragment may have a path of its own: `/login?token`.
 *
 * @param beside the query, form or text that it stands in
 */
export function isSecretParameter(name: string, value: string, beside: string, members: Names): boolean {
  const plain = name.includes('%') ? decodePart(decodePart(name)) : name;
  if (members.has(plain)) return !isHarmless(plain, value);
  const around = partsOf(plain);
  const last = around.pop() ?? '';
  // What is in a secret is one, too.
  if (around.some((part) => members.has(part))) return true;
  const isOpen = IS_OPEN.test(last);
  if (!isOpen && !IS_PARAMETER.test(last)) return false;
  if (members.isTakenBack(last) || isHarmless(last, value)) return false;
  return !isOpen || isOpaque(value) || isOAuthCode(last, value, beside);
}

function isOAuthCode(name: string, value: string, beside: string): boolean {
  return (
    name.toLowerCase() === 'code' &&
    (BESIDE_OAUTH.test(beside) || (value.length >= SHORTEST_CODE && BESIDE_STATE.test(beside)))
  );
}
