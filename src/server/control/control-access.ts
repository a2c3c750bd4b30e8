import { createHash, timingSafeEqual } from 'node:crypto';
import { PatchgateError } from '../../errors.ts';
import { headerValues, type RawHeaders, type RequestHead } from '../../model/http.ts';
import { parseUrl } from '../../model/url.ts';
import { isLoopback } from '../loopback.ts';

export interface ControlAccess {
  /** Whether the server listens on a loopback address only. */
  loopback: boolean;
  /** The bearer token that every request must carry, where one is set. */
  token?: string | undefined;
}

/** Why a request to the control API is not answered. */
export interface Refusal {
  status: 400 | 401 | 403;
  code: 'bad-input' | 'not-allowed';
  message: string;
  hint: string;
}

/** Characters of a token that others on the network could try out. */
const SHORTEST_TOKEN = 16;

/**
 * Whether a token can do what it is for.
 *
 * @param host the address to listen on, or a name
 * @throws PatchgateError `bad-config`
 */
export function checkControlToken(token: string, host: string): void {
  const wrong = (message: string) =>
    new PatchgateError('bad-config', message, { hint: 'make one with: openssl rand -hex 16' });
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrong('the control token has spaces or other characters that a bearer token cannot have');
  if (token.length < SHORTEST_TOKEN && host !== 'localhost' && !isLoopback(host))
    throw wrong(
      `the control token is shorter than ${SHORTEST_TOKEN} characters, and ${host} is not loopback`,
    );
}

/** A name, an IPv4 address, or an IPv6 address in brackets; with any port. */
const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i;

/**
 * Whether the control API answers a request. It shows and resets what went by, so a web page open in the same browser
 * must not get at it: neither across origins nor through a name of its own that resolves to this machine.
 */
export function controlAccess(
  { url, headers }: Pick<RequestHead, 'url' | 'headers'>,
  access: ControlAccess,
): Refusal | undefined {
  const [named, ...furtherHosts] = headerValues(headers, 'host');
  // What a target in absolute form names stands above the header (RFC 9112 3.2.2).
  const host = /^[a-z][a-z\d+.-]*:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? named;
  if (named === undefined || host === undefined || host === '' || furtherHosts.length > 0) {
    return {
      status: 400,
      code: 'bad-input',
      message: 'the request has no Host header, or more than one',
      hint: 'send one Host header',
    };
  }
  if (access.token !== undefined) {
    if (!carries(headers, access.token)) {
      return {
        status: 401,
        code: 'not-allowed',
        message: 'the control API needs the bearer token that Patchgate was started with',
        hint: 'send Authorization: Bearer with that token',
      };
    }
  } else if (!access.loopback) {
    return notAllowed(
      'Patchgate listens beyond this machine and has no control token, so the control API is closed',
      'start it with a token in PATCHGATE_CONTROL_TOKEN (in a program: controlToken), or on 127.0.0.1',
    );
  } else if (!isLoopbackHost(host)) {
    return notAllowed(
      'the control API answers only to loopback Host names',
      'use localhost, 127.0.0.1 or [::1] in the URL, or start Patchgate with a token in PATCHGATE_CONTROL_TOKEN',
    );
  }
  if (crossesOrigins(headers, host)) {
    return notAllowed(
      'the control API does not answer to web pages of another origin',
      'call it from a program, or from a page that Patchgate itself served',
    );
  }
  return undefined;
}

function notAllowed(message: string, hint: string): Refusal {
  return { status: 403, code: 'not-allowed', message, hint };
}

/** `localhost` or a loopback address. Any other name, if it resolves to one today, could be anyone's. */
function isLoopbackHost(host: string): boolean {
  const [, ipv6, name = ''] = HOST.exec(host) ?? [];
  return name.toLowerCase() === 'localhost' || isLoopback(ipv6 ?? name);
}

/** Compared as hashes, in constant time: neither the token's length nor its beginning can be measured. */
function carries(headers: RawHeaders, token: string): boolean {
  const values = headerValues(headers, 'authorization');
  const given = values.length === 1 ? /^Bearer +(.+)$/i.exec(values[0] as string)?.[1] : undefined;
  return given !== undefined && timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function crossesOrigins(headers: RawHeaders, host: string): boolean {
  const sites = headerValues(headers, 'sec-fetch-site');
  const origins = headerValues(headers, 'origin');
  return (
    sites.some((site) => site !== 'same-origin' && site !== 'none') ||
    origins.some((origin) => !isSameHost(origin, host))
  );
}

/** The scheme is left open, since whatever ends TLS in front of Patchgate changes it; `null` is nobody's origin. */
function isSameHost(origin: string, host: string): boolean {
  const scheme = /^(https?):\/\//i.exec(origin)?.[0];
  const own = scheme === undefined ? undefined : parseUrl(scheme + host);
  return own !== undefined && parseUrl(origin)?.host === own.host;
}
