import type { OnFound } from './found-secret.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';

/**
 * Secrets that are named as other languages than JSON write it: `token: "x"` and `token = 'x'` (GraphQL, JavaScript,
 * TOML, attributes), `X-Api-Key: x1` as a line of its own (headers, YAML), `<token>x</token>`.
 */
export function redactWritten(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const isSecret = (name: string) => redaction.members.has(name) || redaction.headers.has(name);
  const hide = (name: string, value: string) => {
    if (value === '' || value === REDACTED || !isSecret(name)) return undefined;
    onFound?.({ what: `the name "${name}"`, place, isDetected: false, value });
    return REDACTED;
  };
  let clean = text.replace(QUOTED, (all, head: string, _, name: string, quote: string, value: string) => {
    const hidden = hide(name, value);
    return hidden === undefined ? all : head + quote + hidden + all.slice(head.length + 1 + value.length);
  });
  clean = clean.replace(LINE, (all, head: string, name: string, value: string) => {
    const hidden = isLikeSecret(value) ? hide(name, value) : undefined;
    return hidden === undefined ? all : head + hidden;
  });
  return clean.includes('<') ? redactElements(clean, hide) : clean;
}

/** The value ends at its quote, and in no other line. */
const QUOTED = /((?<![\w-])(["']?)([\w-]{1,64})\2[ \t]{0,8}[:=][ \t]{0,8})(["'])((?:\\.|(?!\4)[^\\\r\n])*)/g;
const LINE = /((?:^[ \t]{0,32}(?:- )?|["'])([\w-]{1,64}):[ \t]{1,8})([^\s"'[\]{}]+)(?=["'\r\n]|$)/gm;

/** Words stand behind "token:" too. */
function isLikeSecret(value: string): boolean {
  return /\d/.test(value) || value.length >= 20;
}

const TAG = /<(\/?)((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,2000})?)>/g;

/** What stands between the tags of a secret name, tags of its own included. */
function redactElements(text: string, hide: (name: string, value: string) => string | undefined): string {
  /** Where the last end of each is: nothing is looked for in vain. */
  const ends = new Map<string, number>();
  for (const { 1: slash, 2: name, index } of text.matchAll(TAG)) if (slash) ends.set(name as string, index);
  let clean = '';
  let kept = 0;
  for (const { 0: tag, 1: slash, 2: name = '', 3: local = '', 4: rest = '', index } of text.matchAll(TAG)) {
    if (index < kept || slash || rest.endsWith('/') || (ends.get(name) ?? -1) < index) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}`, start);
    const hidden = hide(local, text.slice(start, end));
    if (hidden === undefined) continue;
    clean += text.slice(kept, start) + hidden;
    kept = end;
  }
  return kept === 0 ? text : clean + text.slice(kept);
}
