import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Server } from 'node:net';
import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { isUrl, parseUrl } from '../http/url.ts';
import { nameMatcher } from '../model/name-pattern.ts';
import type { NamedTokens } from './named-tokens.ts';

/** What a request asks for: the control API, or what stands behind the gate. */
export type Asked = 'control' | 'target';

/** Why a request is not answered. */
export interface AccessRefusal {
  status: 400 | 401 | 403 | 421;
  code: 'bad-input' | 'not-allowed';
  message: string;
  hint: string;
}

/** @param at `own`: a server of Patchgate's own, on loopback; any other says itself to which names it answers */
type Access = (req: IncomingMessage, asked: Asked, at: 'own' | 'other') => AccessRefusal | undefined;

export interface AccessSettings {
  /** The bearer token of the control API, where one is set. */
  controlToken: string | undefined;
  /** Those whose tokens are as good. */
  approvers?: NamedTokens | undefined;
  host: string;
  target: string | undefined;
}

/** Names of this machine, beside its addresses; the last one leads here from within a container. */
const LOCAL_NAMES = ['localhost', '*.localhost', 'host.docker.internal'];

/** Hosts that are remembered: clients send the same few. */
const HOSTS_KEPT = 500;

/** Characters of a token that others on the network could try out. */
const SHORTEST_TOKEN = 16;

/**
 * Who may ask for what. Everything that a page in a browser could do by way of this machine is refused here.
 *
 * @throws PatchgateError `bad-config`
 */
export function createAccess({ controlToken, approvers, host, target }: AccessSettings): Access {
  if (controlToken !== undefined) checkToken('the control token', controlToken, host);
  for (const token of approvers?.secrets ?? []) {
    checkToken('the token of an approver', token, host);
    if (token === controlToken)
      throw new PatchgateError('bad-config', 'an approver has the control token', {
        hint: 'give each a token of its own: openssl rand -hex 16',
      });
  }
  const targetHost = target === undefined ? undefined : parseUrl(target)?.host;
  const isOurs = hostMatcher([...LOCAL_NAMES, host, ...(targetHost ? [hostname(targetHost) ?? ''] : [])]);
  const known = new Set<string>();

  /** A page whose name was made to lead to this machine would read all answers: the browser takes them for the page's own. */
  const refusedByHost = ({ rawHeaders }: IncomingMessage): AccessRefusal | undefined => {
    const host = header(rawHeaders, 'host') ?? '';
    // Without one it is HTTP/1.0, and no browser.
    if (host === '' || known.has(host)) return undefined;
    if (!isOurs(host))
      return refusal(
        421,
        `Patchgate does not answer to the Host ${JSON.stringify(host.slice(0, 200))}: on loopback it answers to names of this machine and of the target`,
        'use localhost or 127.0.0.1 in the URL; to a name of your own it answers as --host NAME',
      );
    if (known.size < HOSTS_KEPT) known.add(host);
    return undefined;
  };

  return (req, asked, at) => {
    if (asked === 'control') return refusedByControl(req, controlToken, approvers);
    const byHost = at === 'own' ? refusedByHost(req) : undefined;
    return byHost ?? (header(req.rawHeaders, 'service-worker') === undefined ? undefined : NO_WORKERS);
  };
}

/** @param asked `page`: the files of the page, which hold nothing of the run */
type UiAccess = (req: IncomingMessage, asked: 'control' | 'page') => AccessRefusal | undefined;

export interface UiAccessSettings {
  /** Opens the control API. */
  token: string;
  /** Those whose tokens are as good. */
  approvers?: NamedTokens | undefined;
}

/**
 * Who may ask for what on the inspector's port. Pages of other origins are kept out by the names that it answers to, and by the token,
 * which no page but its own has.
 */
export function createUiAccess({ token, approvers }: UiAccessSettings): UiAccess {
  const isOurs = hostMatcher(['localhost']);
  return ({ url = '', rawHeaders: headers }, asked) => {
    const [named = '', ...further] = headerValues(headers, 'host');
    if (named === '' || further.length > 0 || !url.startsWith('/'))
      return refusal(
        400,
        'the request has no Host header, or more than one, or asks for no path',
        'open the link that Patchgate prints at its start',
      );
    if (!isOurs(named))
      return refusal(
        421,
        `the inspector does not answer to the Host ${JSON.stringify(named.slice(0, 200))}`,
        'use localhost or 127.0.0.1 in the URL',
      );
    const origins = headerValues(headers, 'origin');
    if (origins.some((origin) => origin.toLowerCase() !== `http://${named}`.toLowerCase()))
      return refusal(
        403,
        'the inspector does not answer to pages of other origins',
        'open the link that Patchgate prints at its start',
      );
    if (asked === 'page' || carries(headers, token) || approvers?.nameOf(headers) !== undefined)
      return undefined;
    return refusal(
      401,
      "on the inspector's port, the control API needs a bearer token",
      'send Authorization: Bearer with the control token; where none was given, Patchgate prints one at its start',
    );
  };
}

/**
 * The control API shows and changes what the gate knows. It is closed to pages of every origin, since a page that the target serves
 * has the gate's own, and to what came through another proxy, which may let anybody in.
 */
function refusedByControl(
  req: IncomingMessage,
  token: string | undefined,
  approvers: AccessSettings['approvers'],
): AccessRefusal | undefined {
  const { url = '', rawHeaders: headers } = req;
  // RFC 9112 3.2.
  if (!url.startsWith('/') && url !== '*' && !isUrl(url))
    return refusal(
      400,
      "the request's target is neither a path nor a URL",
      'ask for it by its path: /__patchgate/health',
    );
  const [named, ...furtherHosts] = headerValues(headers, 'host');
  // What a target in absolute form names stands above the header (RFC 9112 3.2.2).
  const host = /^[a-z][a-z\d+.-]*:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? named;
  if (named === undefined || host === undefined || host === '' || furtherHosts.length > 0) {
    return refusal(400, 'the request has no Host header, or more than one', 'send one Host header');
  }
  if (approvers?.nameOf(headers) !== undefined) return undefined;
  if (token !== undefined) {
    if (carries(headers, token)) return undefined;
    return refusal(
      401,
      'the control API needs the bearer token that Patchgate was started with',
      'send Authorization: Bearer with that token',
    );
  }
  if (!listensOnLoopback(req))
    return refusal(
      403,
      'Patchgate listens beyond this machine and has no control token, so the control API is closed',
      'start it with a token in PATCHGATE_CONTROL_TOKEN (in a program: controlToken), or on 127.0.0.1',
    );
  const name = hostname(host);
  // Any other name, if it resolves to this machine today, could be anyone's.
  if (name === undefined || !(name === 'localhost' || isLoopback(name)))
    return refusal(
      403,
      'the control API answers only to loopback Host names',
      'use localhost, 127.0.0.1 or [::1] in the URL, or start Patchgate with a token in PATCHGATE_CONTROL_TOKEN',
    );
  if (isOfPage(headers))
    return refusal(
      403,
      'the control API does not answer to web pages',
      'call it from a program, open it by its address, or start Patchgate with a token in PATCHGATE_CONTROL_TOKEN and send that',
    );
  if (headers.some((header, index) => index % 2 === 0 && FORWARDED.test(header)))
    return refusal(
      403,
      'the control API does not answer to what comes through another proxy, unless it bears a token',
      'ask it directly, or start Patchgate with a token in PATCHGATE_CONTROL_TOKEN and send that',
    );
  return undefined;
}

function refusal(status: AccessRefusal['status'], message: string, hint: string): AccessRefusal {
  return { status, code: status === 400 ? 'bad-input' : 'not-allowed', message, hint };
}

const NO_WORKERS = refusal(
  403,
  'a service worker cannot be registered through Patchgate: it would answer in its place',
  'load the page from a server of its own',
);

/** What browsers say, and no page can change. `none`: the address was typed. */
function isOfPage(headers: RawHeaders): boolean {
  return (
    header(headers, 'origin') !== undefined ||
    header(headers, 'service-worker') !== undefined ||
    headerValues(headers, 'sec-fetch-site').some((site) => site !== 'none')
  );
}

/** Headers with which proxies say for whom they ask. */
const FORWARDED = /forwarded|^via$|^x-real-ip$|(?:client|connecting)-ip$/i;

/** A name, an IPv4 address, or an IPv6 address in brackets; with any port. */
const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{0,5})?$/i;

/** In lower case, without brackets and port. */
function hostname(host: string): string | undefined {
  const [, ipv6, name] = HOST.exec(host) ?? [];
  return (ipv6 ?? name)?.toLowerCase();
}

/** Whether a Host header names this machine, or has one of these names. */
function hostMatcher(names: readonly string[]): (host: string) => boolean {
  const isName = nameMatcher(names.map((name) => name.toLowerCase()));
  return (host) => {
    const name = hostname(host);
    return name !== undefined && (isLoopback(name) || isName(name));
  };
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

/** Whether a token can do what it is for. @param host the address to listen on, or a name */
function checkToken(what: string, token: string, host: string): void {
  const wrong = (message: string) =>
    new PatchgateError('bad-config', message, { hint: 'make one with: openssl rand -hex 16' });
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrong(`${what} has spaces or other characters that a bearer token cannot have`);
  if (token.length < SHORTEST_TOKEN && host !== 'localhost' && !isLoopback(host))
    throw wrong(`${what} is shorter than ${SHORTEST_TOKEN} characters, and ${host} is not loopback`);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an IP address is reachable from this machine only. A name is no address: it could lead anywhere. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the server that got a request, Patchgate's or the one it is mounted in, is reachable from this machine only. */
export function listensOnLoopback({ socket }: IncomingMessage): boolean {
  const at = (socket as { server?: Partial<Server> }).server?.address?.();
  return at !== undefined && at !== null && typeof at === 'object' && isLoopback(at.address);
}
