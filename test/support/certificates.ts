/** Certificates made on the spot: no key lies in the repository. */
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { temporaryFolder } from './temporary-folder.ts';

export interface Pair {
  /** PEM */
  cert: string;
  key: string;
}

const DAY = 86_400_000;

export async function makeAuthority(name = 'Test Authority'): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

export interface CertificateOptions {
  /** Signed by itself where left out. */
  authority?: Pair;
  /** From and until, in days from now. */
  days?: [from: number, until: number];
  /** Names of the subject; one of its own where left out. */
  subject?: readonly string[];
}

/** @param names host names and IP addresses */
export async function makeCertificate(
  names: readonly string[],
  { authority, days: [from, until] = [-1, 30], subject = ['a server of the tests'] }: CertificateOptions = {},
): Promise<Pair> {
  const attributes = subject.map((value) => ({ name: 'commonName', value }));
  const made = await generate(attributes, {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY),
    notAfterDate: new Date(Date.now() + until * DAY),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
    ...(authority && { ca: authority }),
  });
  return { cert: made.cert, key: made.private };
}

/** A file with that text, in a folder of its own. */
export function fileOf(text: string, name = 'file.pem'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}
