import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { messageOf, PatchgateError, whyUnreadable } from '../errors.ts';

/** PEM texts. `cert` has the own certificate first, then those between it and an authority. */
export interface KeyPair {
  cert: string;
  key: string;
}

const CERTIFICATE = 'a certificate stands between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----';
const KEY = 'it begins with -----BEGIN PRIVATE KEY-----; unlock another one with openssl pkey -in FILE';
const PAIR =
  'give the two that were made together, of 2048 bits of RSA or P-256; the own certificate comes first';

/**
 * @param flags of the two files: `--tls` stands for `--tls-cert` and `--tls-key`
 * @throws PatchgateError `bad-usage` if one is missing, `bad-input` if the two are not as TLS takes them
 */
export async function readKeyPair(
  flags: '--tls' | '--target',
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<KeyPair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new PatchgateError('bad-usage', `${flags}-cert and ${flags}-key go together`, {
      hint: `TLS takes both: ${flags}-cert own.crt ${flags}-key own.key`,
    });
  const cert = await readPem(certFile, `${flags}-cert`);
  const key = await readPem(keyFile, `${flags}-key`);
  attempt(() => new X509Certificate(cert), `${certFile} holds no certificate in PEM`, CERTIFICATE);
  attempt(() => createPrivateKey(key), `${keyFile} holds no private key in PEM without a passphrase`, KEY);
  // TLS takes five milliseconds to load.
  const { createSecureContext } = await import('node:tls');
  attempt(() => createSecureContext({ cert, key }), `TLS does not take ${certFile} with ${keyFile}`, PAIR);
  return { cert, key };
}

/** The settings of TLS to the target. */
export interface TargetTlsFiles {
  targetCa?: string | undefined;
  /** The gate's own certificate and key, for a target that asks for them. */
  targetCert?: string | undefined;
  targetKey?: string | undefined;
}

/** How every connection to the target is secured: options of Node's `tls.connect`. */
export type TargetTls = Awaited<ReturnType<typeof readTargetTls>>;

/** @throws PatchgateError `bad-usage` if the settings do not fit each other or the target, `bad-input` of a file */
export async function readTargetTls(
  { url }: { url: URL },
  { targetCa, targetCert, targetKey }: TargetTlsFiles,
) {
  const flag = targetCa !== undefined ? '--target-ca' : targetCert && '--target-cert';
  if (url.protocol === 'http:' && flag)
    throw new PatchgateError('bad-usage', `${flag} has no meaning for ${url.origin}: it speaks no TLS`, {
      hint: `leave ${flag} out, or give the target as https://${url.host}`,
    });
  return {
    ...(await readKeyPair('--target', targetCert, targetKey)),
    // Without it, Node's own authorities count.
    ca: targetCa === undefined ? undefined : await readAuthorities(targetCa, '--target-ca'),
    // Be it the authority or only the target's own certificate.
    allowPartialTrustChain: targetCa !== undefined,
    // Always said, or the environment (`NODE_TLS_REJECT_UNAUTHORIZED`) would say it.
    rejectUnauthorized: true,
    // Always said, or a client's `Host` would. Of an IP address, the address is checked.
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
  };
}

export async function readAuthorities(file: string, flag: string): Promise<string> {
  const pem = await readPem(file, flag);
  // Without any, the empty text fails below as a broken one does.
  const found = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [''];
  const message = `${file} holds no certificate in PEM, or a broken one`;
  for (const one of found) attempt(() => new X509Certificate(one), message, CERTIFICATE);
  return found.join('\n');
}

async function readPem(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const hint = `check the path given with ${flag}`;
    throw new PatchgateError('bad-input', `cannot read ${file}: ${whyUnreadable(cause)}`, { hint, cause });
  }
}

function attempt(read: () => unknown, message: string, hint: string): void {
  try {
    read();
  } catch (cause) {
    throw new PatchgateError('bad-input', `${message}: ${messageOf(cause)}`, { hint, cause });
  }
}
