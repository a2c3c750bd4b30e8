import {
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  isOverride,
  type RawHeaders,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import { type Env, namedValue, readNamedValue, wrongValue } from '../settings/named-values.ts';
import type { Target } from './target.ts';

/** How requests are forwarded. */
export interface ForwardOptions {
  target: Target;
  /** Milliseconds that the target may be silent before it answers; 0: for ever. */
  timeout: number;
  /** In the place of the client's. */
  setHeaders: ReturnType<typeof readSetHeaders>;
}

/**
 * The headers that go to the target: as sent, without those of the connection (the fixed ones and those that
 * `Connection` names), those that this connection makes itself, and Patchgate's own; `host` comes first.
 */
export function outgoingHeaders(headers: RawHeaders, { target, setHeaders }: ForwardOptions): string[] {
  const named = connectionOptions(headers);
  const kept = ['host', target.url.host];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (staysHere(name) || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
    kept.push(name, headers[i + 1] as string);
  }
  if (!setHeaders) return kept;
  return [...withoutHeaders(kept, (name) => setHeaders.names.has(name)), ...setHeaders.added];
}

/** The host is the target's; the client's wait for `100 Continue` has been answered here. */
const staysHere = byHeaderName((name) => HOP_BY_HOP.has(name) || /^(?:host$|expect$|patchgate-)/.test(name));

/**
 * The path and query to ask the target for. A path in the target's URL is put before the request's, unless that
 * begins with it already.
 *
 * @param targetPath without a slash at its end
 */
export function outgoingPath(targetPath: string, url: string): string {
  if (targetPath === '' && url.startsWith('/')) return url;
  const { path: asked, query } = splitTarget(url);
  // `*` and a path without a slash first: no client of ours can send them.
  const path = asked.startsWith('/') ? asked : `/${asked}`;
  const begins = targetPath === '' || path === targetPath || path.startsWith(`${targetPath}/`);
  const whole = begins ? path : targetPath + path;
  return query === '' && !url.endsWith('?') ? whole : `${whole}?${query}`;
}

const FLAG = '--set-header';

/** What the body is, and where it ends. */
const OF_BODY = /^content-(?:length|encoding|type)$/;

/**
 * Headers that each request to the target has, whatever the client sent.
 *
 * @param texts `NAME=VALUE`, `NAME=env:VARIABLE`; `NAME=`: it is left out
 * @returns `names` in lower case of the client's that go, and name, value, name, … that come; undefined if there are none
 * @throws PatchgateError `bad-usage` if a header is the gate's own, or a variable is not set
 */
export function readSetHeaders(texts: readonly string[], env: Env) {
  if (texts.length === 0) return undefined;
  const names = new Set<string>();
  const added: string[] = [];
  for (const text of texts) {
    const { name, value } = readNamedValue(text, env, FLAG);
    const lowerCase = name.toLowerCase();
    const isMade = staysHere(name) || OF_BODY.test(lowerCase);
    if (isMade || (value && isOverride(name))) {
      const hint = isMade ? 'the gate makes it of the request itself' : 'the target would do something else';
      throw wrongValue(FLAG, `the header ${name} cannot be set`, hint);
    }
    names.add(lowerCase);
    const isNone = /[^\t\x20-\x7e\x80-\xff]/.test(value);
    const why = `the value of ${name} holds a character that no header can have`;
    if (isNone) throw wrongValue(FLAG, why, 'does it end in a line feed?');
    if (value) added.push(name, value);
  }
  return { names, added };
}

/** Values that come from the environment: nothing shows or keeps them. */
export function secretsOf(texts: readonly string[], env: Env): string[] {
  return texts
    .map((text) => namedValue(text, env))
    .flatMap(({ value, variable }) => (variable !== undefined && value ? [value] : []));
}
