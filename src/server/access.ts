import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { isUrl, parseUrl } from '../http/url.ts';
import type { Config } from '../settings/config.ts';
import { type Env, readNamedValue, wrongValue } from '../settings/named-values.ts';

/** Bearer tokens, and who each names. Nothing shows or keeps the tokens. */
export type NamedTokens = ReadonlyMap<string, string>;

/** The tokens of approvers are as good as the control token. */
export type AccessSettings = Pick<Config, 'controlToken' | 'host' | 'target'> & { approvers: NamedTokens };

/** Characters of a token that others on the network could try out. */
const SHORTEST_TOKEN = 16;
const NEW_TOKEN = 'make one with: openssl rand -hex 16';

/** The two that everybody may ask: they say no more than yes or no. */
const PROBE = /^\/__patchgate\/health\/(?:live|ready)(?:\?|$)/;
/** Headers with which browsers say which page asks, and proxies for whom they ask. */
const OF_PAGE_OR_PROXY = /^(?:origin|service-worker|via|x-real-ip)$|forwarded|(?:client|connecting)-ip$/i;

/**
 * Who may ask for what. Everything that a page in a browser could do by way of this machine is refused here.
 *
 * @returns takes what is asked for: the control API, or what stands behind the gate; and whether it is asked on loopback
 * @throws PatchgateError `bad-config`
 */
export function createAccess({ controlToken, approvers, host: ownHost, target }: AccessSettings) {
  const tokens = new Map(approvers);
  if (controlToken !== undefined) tokens.set(controlToken, 'control');
  const wrong = (what: string) => new PatchgateError('bad-config', what, { hint: NEW_TOKEN });
  const isReached = ownHost !== 'localhost' && !isLoopback(ownHost);
  for (const token of tokens.keys()) {
    if (!/^[\x21-\x7e]+$/.test(token))
      throw wrong('a token has spaces or other characters that a bearer token cannot have');
    if (isReached && token.length < SHORTEST_TOKEN)
      throw wrong(`a token is shorter than ${SHORTEST_TOKEN} characters, and ${ownHost} is not loopback`);
  }
  if (approvers.has(controlToken ?? '')) throw wrong('an approver has the control token');
  // The third one leads here from within a container.
  const targetHost = target && parseUrl(target)?.hostname;
  const names = ['localhost', ownHost.toLowerCase(), 'host.docker.internal', targetHost || 'localhost'];

  /**
   * The control API shows and changes what the gate knows. It is closed to pages of every origin, since a page that the target serves
   * has the gate's own, and to what came through another proxy, which may let anybody in.
   */
  const refusedByControl = ({ url = '', rawHeaders: headers }: IncomingMessage, isOnLoopback: boolean) => {
    if (PROBE.test(url)) return undefined;
    const [named, ...further] = headerValues(headers, 'host');
    // What a target in absolute form names stands above the header (RFC 9112 3.2.2).
    const host = /^[a-z][a-z\d+.-]*:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? named;
    if (!named || !host || further.length > 0 || !(/^[/*]/.test(url) || isUrl(url))) return ONE_HOST;
    if (approverOf(headers, tokens) !== undefined) return undefined;
    if (controlToken !== undefined) return NEEDS_TOKEN;
    if (!isOnLoopback) return NO_TOKEN;
    const tells = headers.some((name, index) => index % 2 === 0 && OF_PAGE_OR_PROXY.test(name));
    // What browsers say, and no page can change. `none`: the address was typed.
    const isOfPage = headerValues(headers, 'sec-fetch-site').some((site) => site !== 'none');
    // Any other name, if it resolves to this machine today, could be anyone's.
    return isLocal(host) && !tells && !isOfPage ? undefined : LOCAL_ALONE;
  };

  return (req: IncomingMessage, asked: 'control' | 'target', isOnLoopback: boolean) => {
    if (asked === 'control') return refusedByControl(req, isOnLoopback);
    if (header(req.rawHeaders, 'service-worker') !== undefined) return NO_WORKERS;
    const host = header(req.rawHeaders, 'host') ?? '';
    // Without one it is HTTP/1.0, and no browser.
    if (!isOnLoopback || host === '') return undefined;
    // A page whose name was made to lead to this machine would read all answers: the browser takes them for the page's own.
    const name = hostname(host);
    const isOurs = names.includes(name) || name.endsWith('.localhost') || isLoopback(name);
    return isOurs ? undefined : wrongHost(host);
  };
}

/** Who may ask on the inspector's port: pages of other origins are kept out by the names that it answers to, and by the token. */
export function refusedByUi(req: IncomingMessage, asked: 'control' | 'page', tokens: NamedTokens) {
  const { url = '', rawHeaders: headers } = req;
  const [host = '', ...further] = headerValues(headers, 'host');
  if (host === '' || further.length > 0 || !url.startsWith('/')) return ONE_HOST;
  if (!isLocal(host)) return wrongHost(host);
  const own = `http://${host}`.toLowerCase();
  if (headerValues(headers, 'origin').some((origin) => origin.toLowerCase() !== own)) return LOCAL_ALONE;
  return asked === 'page' || approverOf(headers, tokens) !== undefined ? undefined : NEEDS_TOKEN;
}

function refused(code: ErrorCode, message: string, hint: string): PatchgateError {
  return new PatchgateError(code, message, { hint });
}

function wrongHost(host: string): PatchgateError {
  const message = `on loopback, Patchgate does not answer to the Host ${JSON.stringify(host.slice(0, 200))}`;
  const hint = 'use localhost or 127.0.0.1 in the URL; to a name of your own it answers as --host NAME';
  return refused('misdirected-request', message, hint);
}

const ONE_HOST = refused(
  'bad-input',
  'the request has no Host header, or several, or asks for no path',
  'send one',
);
const NEEDS_TOKEN = refused(
  'unauthorized',
  'the control API needs the bearer token that Patchgate was started with',
  'send it in the header Authorization, behind "Bearer"; for the inspector, open the link that Patchgate prints at its start',
);
const NO_TOKEN = refused(
  'not-allowed',
  'Patchgate listens beyond this machine and has no control token, so the control API is closed',
  'start it with a token in PATCHGATE_CONTROL_TOKEN (in a program: controlToken), or on 127.0.0.1',
);
const LOCAL_ALONE = refused(
  'not-allowed',
  'without a token, the control API is closed to web pages, other proxies and Host names of other machines',
  'ask for it by localhost or 127.0.0.1, or start Patchgate with a token in PATCHGATE_CONTROL_TOKEN and send that',
);
const NO_WORKERS = refused('not-allowed', 'a service worker would answer for Patchgate', 'load it elsewhere');

/** Of a Host header, in lower case, without brackets and port; `""` if it is none. */
function hostname(host: string): string {
  const [, ipv6, name] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{0,5})?$/i.exec(host) ?? [];
  return (ipv6 ?? name ?? '').toLowerCase();
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an IP address is reachable from this machine only. A name is no address: it could lead anywhere. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function isLocal(host: string): boolean {
  const name = hostname(host);
  return name === 'localhost' || isLoopback(name);
}

/**
 * @param texts `NAME=TOKEN`, `NAME=env:VARIABLE`; a name may have several tokens
 * @throws PatchgateError `bad-usage` if a variable is not set, or two have the same
 */
export function readNamedTokens(texts: readonly string[], env: Env, flag: string): NamedTokens {
  const tokens = new Map<string, string>();
  for (const text of texts) {
    const { name, value: token } = readNamedValue(text, env, flag);
    if (tokens.has(token)) throw wrongValue(flag, 'two have the same token', `for each, ${NEW_TOKEN}`);
    tokens.set(token, name);
  }
  return tokens;
}

/** Whose token the header `Authorization` carries. By their hashes, neither length nor beginning of a token can be measured. */
export function approverOf(headers: RawHeaders, tokens: NamedTokens): string | undefined {
  const [value = '', ...others] = headerValues(headers, 'authorization');
  const given = /^Bearer +(.+)$/i.exec(value)?.[1];
  if (given === undefined || others.length > 0) return undefined;
  const own = hash('sha256', given);
  return [...tokens].find(([token]) => hash('sha256', token) === own)?.[1];
}
