import { BlockList, isIP } from 'node:net';
import { PatchgateError } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { addressOf, type Target, type TargetProxy } from './target.ts';

/**
 * The proxy of the environment for a target over TLS.
 *
 * @throws PatchgateError `bad-usage` where it is no URL of a proxy
 */
export function targetProxyOf(
  { url }: Pick<Target, 'url'>,
  env: Readonly<Record<string, string | undefined>>,
): TargetProxy | undefined {
  // As curl has it: the one in small letters comes first, and HTTP_PROXY is not read: a CGI's client may have set it.
  const name = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  if (url.protocol !== 'https:' || name === undefined) return undefined;
  const exempt = env.no_proxy || env.NO_PROXY || '';
  return isExempt(url, exempt) ? undefined : parseProxy(env[name] as string, name);
}

/** @param from what names it; the text itself may hold a password, and is not shown */
function parseProxy(text: string, from: string): TargetProxy {
  const url = parseUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw misused(
      `${from} holds no URL of an http or https proxy`,
      `write it as http://proxy.example.com:3128; NO_PROXY names what goes without a proxy`,
    );
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw misused(
      `${from} holds more than scheme, credentials, host and port`,
      'in a password write / as %2F, ? as %3F, # as %23, @ as %40 and % as %25',
    );
  const { origin, username, password } = url;
  if (username === '' && password === '') return { origin, url };
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { origin, url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  } catch {
    throw misused(`the user or password in ${from} has a % that codes nothing`, 'write % as %25');
  }
}

/** Whether a list such as NO_PROXY names the target: by a name and all below it, an address, a network, each with a port or without. */
function isExempt(url: URL, list: string): boolean {
  const { host, port } = addressOf(url);
  const name = host.replace(/\.$/, '');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, inBrackets, plain = '', ofPort] =
        /^(?:\[([^\]]*)\]|([^:]*|.*:.*:.*))(?::(\d+))?$/.exec(entry) ?? [];
      if (ofPort !== undefined && Number(ofPort) !== port) return false;
      const named = inBrackets ?? plain;
      const [address = '', bits] = named.split('/');
      if (isIP(address)) return isWithin(name, address, bits);
      const suffix = named.replace(/^\*?\.|\.$/g, '');
      return suffix === '*' || (suffix !== '' && `.${name}`.endsWith(`.${suffix}`));
    });
}

/** @param bits of the network's prefix; undefined: it is the one address */
function isWithin(host: string, address: string, bits: string | undefined): boolean {
  const family = isIP(address);
  const prefix = Number(bits ?? (family === 6 ? 128 : 32));
  if (isIP(host) !== family || !(prefix <= (family === 6 ? 128 : 32))) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const network = new BlockList();
  network.addSubnet(address, prefix, type);
  return network.check(host, type);
}

function misused(message: string, hint: string): PatchgateError {
  return new PatchgateError('bad-usage', message, { hint });
}
