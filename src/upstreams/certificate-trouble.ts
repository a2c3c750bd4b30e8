/** Why a target's certificate was refused; the handshake came to no end, and no request was sent. */
export interface CertificateTrouble {
  /** `has expired` */
  reason: string;
  hint: string;
}

const UNTRUSTED = "if you trust it, give its certificate or its authority's with --target-ca FILE";
const CLOCK = "the target needs another; or is this machine's clock wrong?";

/** By Node's error code: those of OpenSSL's verification, and the one of Node's own check of the name. */
const TROUBLES: Readonly<Record<string, CertificateTrouble>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'is not trusted: it is signed by itself', hint: UNTRUSTED },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'is not trusted: its authority is not known here', hint: UNTRUSTED },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    reason: 'is not trusted: its authority is not known here',
    hint: UNTRUSTED,
  },
  UNABLE_TO_GET_ISSUER_CERT: { reason: 'is not trusted: its authority is not known here', hint: UNTRUSTED },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: 'is not trusted: its authority is not known here',
    hint: UNTRUSTED,
  },
  CERT_UNTRUSTED: { reason: 'is not trusted', hint: UNTRUSTED },
  CERT_SIGNATURE_FAILURE: { reason: 'is not trusted: its signature is wrong', hint: UNTRUSTED },
  INVALID_CA: { reason: 'is not trusted: what signed it is no authority', hint: UNTRUSTED },
  CERT_HAS_EXPIRED: { reason: 'has expired', hint: CLOCK },
  CERT_NOT_YET_VALID: { reason: 'is not valid yet', hint: CLOCK },
  INVALID_PURPOSE: { reason: 'is not for servers', hint: 'the target needs another' },
  CERT_REVOKED: { reason: 'is revoked', hint: 'the target needs another' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'is for another name',
    hint: "use the name that it is for in the target's URL",
  },
};

/** @param code of the error; undefined where it has nothing to do with a certificate */
export function certificateTrouble(code: string, error: unknown): CertificateTrouble | undefined {
  const trouble = Object.hasOwn(TROUBLES, code) ? TROUBLES[code] : undefined;
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname;
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID' || !trouble || !names) return trouble;
  return { ...trouble, reason: `${trouble.reason}: ${names.slice(0, 200)}` };
}
