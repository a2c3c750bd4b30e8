import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf, PatchgateError, whyUnreadable } from '../../errors.ts';

/** What the gate proves itself with to its clients: PEM texts. */
export interface ServerTls {
  /** The gate's own certificate first, then those between it and an authority. */
  cert: string;
  key: string;
}

/**
 * Reads and checks the certificate and the key of the gate's own server.
 *
 * @returns undefined where neither is given
 * @throws PatchgateError `bad-usage` where one is missing, `bad-input` where a file cannot be read, holds something
 *   else, or where the two do not belong together
 */
export async function readServerTls(settings: {
  tlsCert: string | undefined;
  tlsKey: string | undefined;
}): Promise<ServerTls | undefined> {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const [given, missing] = tlsKey === undefined ? ['--tls-cert', '--tls-key'] : ['--tls-key', '--tls-cert'];
    throw new PatchgateError('bad-usage', `${given} is given without ${missing}`, {
      hint: 'TLS takes both: --tls-cert server.crt --tls-key server.key',
    });
  }
  const cert = await read(tlsCert, 'certificate', '--tls-cert');
  const key = await read(tlsKey, 'key', '--tls-key');
  const certificate = certificateOf(cert, tlsCert);
  if (!certificate.checkPrivateKey(keyOf(key, tlsKey))) {
    throw new PatchgateError(
      'bad-input',
      `the key in ${tlsKey} is not that of the certificate in ${tlsCert}`,
      {
        hint: 'give the two that were made together; in a chain, the own certificate comes first',
      },
    );
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new PatchgateError(
      'bad-input',
      `TLS does not take the certificate in ${tlsCert}: ${messageOf(error)}`,
      {
        hint: 'make one with a key of today: 2048 bits of RSA or more, or P-256',
        cause: error,
      },
    );
  }
  return { cert, key };
}

async function read(file: string, what: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = whyUnreadable(error);
    throw new PatchgateError('bad-input', `cannot read the ${what} ${file}: ${why}`, {
      hint: `check the path given with ${flag}`,
      cause: error,
    });
  }
}

function certificateOf(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new PatchgateError('bad-input', `${file} holds no certificate in PEM`, {
      hint: 'it should begin with -----BEGIN CERTIFICATE-----',
      cause: error,
    });
  }
}

function keyOf(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    // Node's error for it differs from version to version.
    const isLocked = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pem);
    throw new PatchgateError(
      'bad-input',
      isLocked ? `the key in ${file} is locked with a passphrase` : `${file} holds no private key in PEM`,
      {
        hint: isLocked
          ? 'unlock it: openssl pkey -in server.key -out unlocked.key'
          : 'it should begin with -----BEGIN PRIVATE KEY-----',
        cause: error,
      },
    );
  }
}
