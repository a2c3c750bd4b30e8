import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { messageOf, PatchgateError, whyUnreadable } from '../errors.ts';

/** What the gate proves itself with: PEM texts. */
export interface ServerTls {
  /** The gate's own certificate first, then those between it and an authority. */
  cert: string;
  key: string;
}

/** How every connection to the target is secured: options of Node's `tls.connect`. */
export interface TargetTls extends Partial<ServerTls> {
  /** PEM; undefined: Node's own authorities. */
  ca: string | undefined;
  /** What stands in `ca` is trusted, be it the authority or only the target's own certificate. */
  allowPartialTrustChain: boolean;
  /** Always said, or the environment (`NODE_TLS_REJECT_UNAUTHORIZED`) would say it. */
  rejectUnauthorized: boolean;
  /** Always said, or a client's `Host` would. `""` where the target is an IP address: the address is checked then. */
  servername: string;
}

/** @throws PatchgateError `bad-usage` where one is missing, `bad-input` where the two are not as TLS takes them */
export function readServerTls(files: {
  tlsCert: string | undefined;
  tlsKey: string | undefined;
}): Promise<ServerTls | undefined> {
  return readPair(files.tlsCert, files.tlsKey, '--tls-cert', '--tls-key');
}

async function readPair(
  certFile: string | undefined,
  keyFile: string | undefined,
  certFlag: string,
  keyFlag: string,
): Promise<ServerTls | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const hint = `TLS takes both: ${certFlag} own.crt ${keyFlag} own.key`;
    throw new PatchgateError('bad-usage', `${certFlag} and ${keyFlag} go together`, { hint });
  }
  const cert = await readPem(certFile, certFlag);
  const key = await readPem(keyFile, keyFlag);
  const unlocking =
    'it begins with -----BEGIN PRIVATE KEY-----; unlock another one with openssl pkey -in FILE';
  attempt(() => new X509Certificate(cert), `${certFile} holds no certificate in PEM`, CERTIFICATE);
  attempt(
    () => createPrivateKey(key),
    `${keyFile} holds no private key in PEM without a passphrase`,
    unlocking,
  );
  const pairing =
    'give the two that were made together, of 2048 bits of RSA or P-256; the own certificate comes first';
  attempt(() => createSecureContext({ cert, key }), `TLS does not take ${certFile} with ${keyFile}`, pairing);
  return { cert, key };
}

/** The settings of TLS to the target. */
export interface TargetTlsFiles {
  targetCa?: string | undefined;
  /** The gate's own certificate and key, for a target that asks for them. */
  targetCert?: string | undefined;
  targetKey?: string | undefined;
}

/** @throws PatchgateError `bad-usage` where the settings do not fit each other or the target, `bad-input` of a file */
export async function readTargetTls(
  { url }: { url: URL },
  { targetCa, targetCert, targetKey }: TargetTlsFiles,
): Promise<TargetTls> {
  const flag = targetCa !== undefined ? 'ca' : targetCert && 'cert';
  if (url.protocol === 'http:' && flag)
    throw new PatchgateError(
      'bad-usage',
      `--target-${flag} has no meaning for ${url.origin}: it speaks no TLS`,
      {
        hint: `leave --target-${flag} out, or give the target as https://${url.host}`,
      },
    );
  return {
    ...(await readPair(targetCert, targetKey, '--target-cert', '--target-key')),
    ca: targetCa === undefined ? undefined : await readAuthorities(targetCa, '--target-ca'),
    allowPartialTrustChain: targetCa !== undefined,
    rejectUnauthorized: true,
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
  };
}

export async function readAuthorities(file: string, flag: string): Promise<string> {
  const pem = await readPem(file, flag);
  // Without any, the empty text fails below as a broken one does.
  const found = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [''];
  for (const one of found)
    attempt(
      () => new X509Certificate(one),
      `${file} holds no certificate in PEM, or a broken one`,
      CERTIFICATE,
    );
  return found.join('\n');
}

const CERTIFICATE = 'a certificate stands between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----';

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
