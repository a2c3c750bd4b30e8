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

/**
 * Reads and checks the certificate and the key of the gate's own server.
 *
 * @returns undefined where neither is given
 * @throws PatchgateError `bad-usage` where one is missing, `bad-input` where a file cannot be read, holds something
 *   else, or where the two do not belong together
 */
export function readServerTls(files: {
  tlsCert: string | undefined;
  tlsKey: string | undefined;
}): Promise<ServerTls | undefined> {
  return readPair(files.tlsCert, files.tlsKey, '--tls-cert', '--tls-key');
}

/** A certificate and its key, which belong together. */
async function readPair(
  certFile: string | undefined,
  keyFile: string | undefined,
  certFlag: string,
  keyFlag: string,
): Promise<ServerTls | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const [given, missing] = keyFile === undefined ? [certFlag, keyFlag] : [keyFlag, certFlag];
    throw new PatchgateError('bad-usage', `${given} is given without ${missing}`, {
      hint: `TLS takes both: ${certFlag} own.crt ${keyFlag} own.key`,
    });
  }
  const cert = await readPem(certFile, 'certificate', certFlag);
  const key = await readPem(keyFile, 'key', keyFlag);
  const certificate = attempt(
    () => new X509Certificate(cert),
    () => [`${certFile} holds no certificate in PEM`, 'it should begin with -----BEGIN CERTIFICATE-----'],
  );
  // Node's error for it differs from version to version.
  const isLocked = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key);
  const privateKey = attempt(
    () => createPrivateKey(key),
    () =>
      isLocked
        ? [
            `the key in ${keyFile} is locked with a passphrase`,
            'unlock it: openssl pkey -in server.key -out unlocked.key',
          ]
        : [`${keyFile} holds no private key in PEM`, 'it should begin with -----BEGIN PRIVATE KEY-----'],
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw badFile(
      `the key in ${keyFile} is not that of the certificate in ${certFile}`,
      'give the two that were made together; in a chain, the own certificate comes first',
    );
  attempt(
    () => createSecureContext({ cert, key }),
    (error) => [
      `TLS does not take the certificate in ${certFile}: ${messageOf(error)}`,
      'make one with a key of today: 2048 bits of RSA or more, or P-256',
    ],
  );
  return { cert, key };
}

/** The settings of TLS to the target. */
export interface TargetTlsFiles {
  targetCa?: string | undefined;
  targetInsecure: boolean;
  /** The gate's own certificate and key, for a target that asks for them. */
  targetCert?: string | undefined;
  targetKey?: string | undefined;
}

/**
 * @param target of which the URL is used
 * @throws PatchgateError `bad-usage` where the settings do not fit each other or the target, `bad-input` where a
 *   file cannot be read or holds no certificate
 */
export async function readTargetTls(
  { url }: { url: URL },
  { targetCa, targetInsecure, targetCert, targetKey }: TargetTlsFiles,
): Promise<TargetTls> {
  const flag = targetInsecure ? 'insecure' : targetCa !== undefined ? 'ca' : targetCert && 'cert';
  if (url.protocol === 'http:' && flag)
    throw new PatchgateError(
      'bad-usage',
      `--target-${flag} has no meaning for ${url.origin}: it speaks no TLS`,
      {
        hint: `leave --target-${flag} out, or give the target as https://${url.host}`,
      },
    );
  if (targetInsecure && targetCa !== undefined)
    throw new PatchgateError('bad-usage', '--target-ca and --target-insecure contradict each other', {
      hint: 'with --target-ca alone the target is verified',
    });
  return {
    ...(await readPair(targetCert, targetKey, '--target-cert', '--target-key')),
    ca: targetCa === undefined ? undefined : await readAuthorities(targetCa, '--target-ca'),
    allowPartialTrustChain: targetCa !== undefined,
    rejectUnauthorized: !targetInsecure,
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
  };
}

export async function readAuthorities(file: string, flag: string): Promise<string> {
  const pem = await readPem(file, "authorities' certificates", flag);
  const found = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  const isRead = attempt(
    () => found.map((one) => new X509Certificate(one)).length > 0,
    () => [NO_AUTHORITY(file), AUTHORITY],
  );
  if (!isRead) throw badFile(NO_AUTHORITY(file), AUTHORITY);
  return found.join('\n');
}

const NO_AUTHORITY = (file: string) => `${file} holds no certificate in PEM, or a broken one`;
const AUTHORITY =
  'it should hold what stands between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----';

async function readPem(file: string, what: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const hint = `check the path given with ${flag}`;
    throw badFile(`cannot read the ${what} ${file}: ${whyUnreadable(cause)}`, hint, cause);
  }
}

function attempt<T>(read: () => T, complain: (error: unknown) => [message: string, hint: string]): T {
  try {
    return read();
  } catch (cause) {
    throw badFile(...complain(cause), cause);
  }
}

function badFile(message: string, hint: string, cause?: unknown): PatchgateError {
  return new PatchgateError('bad-input', message, { hint, cause });
}
