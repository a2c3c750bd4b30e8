import { createHash, timingSafeEqual } from 'node:crypto';
import { headerValues, type RawHeaders } from '../model/http.ts';
import { parseUrl } from '../model/url.ts';

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

/** `localhost`, `127.0.0.0/8` and `[::1]`, with any port. A name that merely resolves to them could be anyone's. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether the control API answers a request. It shows and resets what went by, so a web page open in the same browser
 * must not get at it: neither across origins nor through a name of its own that resolves to this machine.
 */
export function controlAccess(headers: RawHeaders, access: ControlAccess): Refusal | undefined {
  const [host, ...furtherHosts] = headerValues(headers, 'host');
  if (host === undefined || host === '' || furtherHosts.length > 0) {
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
        hint: 'send Authorization: Bearer with the value of --control-token',
      };
    }
  } else if (!access.loopback) {
    return notAllowed(
      'Patchgate listens beyond this machine and has no control token, so the control API is closed',
      'start it with --control-token, or with --host 127.0.0.1',
    );
  } else if (!LOOPBACK_HOST.test(host)) {
    return notAllowed(
      'the control API answers only to loopback Host names',
      'use localhost, 127.0.0.1 or [::1] in the URL, or start Patchgate with --control-token',
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
