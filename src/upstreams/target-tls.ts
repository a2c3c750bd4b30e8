import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { PatchgateError, whyUnreadable } from '../errors.ts';
import type { Target } from './target.ts';

/** How every connection to the target is secured: options of Node's `tls.connect`. */
export interface TargetTls {
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
 * @throws PatchgateError `bad-usage` where the two settings do not fit each other or the target, `bad-input` where the
 *   file cannot be read or holds no certificate
 */
export async function readTargetTls(
  target: Target,
  settings: { targetCa: string | undefined; targetInsecure: boolean },
): Promise<TargetTls> {
  const { targetCa, targetInsecure } = settings;
  if (target.url.protocol === 'http:' && (targetInsecure || targetCa !== undefined)) {
    const flag = targetInsecure ? '--target-insecure' : '--target-ca';
    throw new PatchgateError('bad-usage', `${flag} has no meaning for ${target.origin}: it speaks no TLS`, {
      hint: `leave ${flag} out, or give the target as https://${target.url.host}`,
    });
  }
  if (targetInsecure && targetCa !== undefined) {
    throw new PatchgateError('bad-usage', '--target-ca and --target-insecure contradict each other', {
      hint: 'with --target-ca alone the target is verified',
    });
  }
  const { hostname } = target.url;
  return {
    ca: targetCa === undefined ? undefined : await readAuthorities(targetCa),
    allowPartialTrustChain: targetCa !== undefined,
    rejectUnauthorized: !targetInsecure,
    servername: isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '',
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

async function readAuthorities(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = whyUnreadable(error);
    throw new PatchgateError('bad-input', `cannot read the authorities' certificates ${file}: ${why}`, {
      hint: 'check the path given with --target-ca',
      cause: error,
    });
  }
  const found = text.match(CERTIFICATE) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
    if (found.length > 0) return found.join('\n');
  } catch (error) {
    throw noCertificate(file, error);
  }
  throw noCertificate(file);
}

function noCertificate(file: string, cause?: unknown): PatchgateError {
  return new PatchgateError('bad-input', `${file} holds no certificate in PEM, or a broken one`, {
    hint: 'it should hold what stands between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----',
    cause,
  });
}
