import { createHash, randomBytes } from 'node:crypto';
import { header, type RawHeaders } from '../http/http.ts';
import type { Known } from '../model/record.ts';

/** The request header that allows what was blocked. Never forwarded, kept or shown. */
export const APPROVE_HEADER = 'Patchgate-Approve';

/** The very request, and what it was judged against. */
export interface Subject {
  method: string;
  url: string;
  /** The bytes as sent. */
  body: Uint8Array;
  headers: RawHeaders;
  session: number;
  known: Known | undefined;
}

/** Why a token approves nothing; `unknown`: it was never given out, or too long ago. */
export type Refusal = { refused: string; isUnknown?: true };

interface Approval {
  request: string;
  body: string;
  state: string;
  issuedAt: number;
  isUsed: boolean;
}

/** Tokens that are kept at a time. The oldest goes first. */
const MOST = 10_000;
/** How long, in lifetimes, it is remembered what became of a token. */
const REMEMBERED = 6;

/** Random tokens, each for one request as it was judged: for its bytes, its record and what was known of that. */
export class Approvals {
  readonly #lifetime: number;
  readonly #issued = new Map<string, Approval>();

  /** @param lifetime milliseconds that a token may be used */
  constructor(lifetime: number) {
    this.#lifetime = lifetime;
  }

  issue(subject: Subject, now = performance.now()): string {
    this.#clear(now);
    const token = randomBytes(18).toString('base64url');
    this.#issued.set(token, { ...marksOf(subject), issuedAt: now, isUsed: false });
    return token;
  }

  /** Undefined where the token approves of the request. */
  whyNot(token: string, subject: Subject, now = performance.now()): Refusal | undefined {
    const approval = this.#issued.get(token);
    if (!approval)
      return { refused: 'the approval is not known: it is mistyped, or from another run', isUnknown: true };
    const { request, body, state } = marksOf(subject);
    if (approval.request !== request) return { refused: 'the approval is for another request' };
    if (approval.body !== body) return { refused: 'the approval is for another body' };
    if (approval.isUsed) return { refused: 'the approval was used already' };
    if (now - approval.issuedAt > this.#lifetime) return { refused: 'the approval has expired' };
    if (approval.state !== state) return { refused: 'the record has changed since the approval was given' };
    return undefined;
  }

  /** It is not valid any more. */
  use(token: string): void {
    const approval = this.#issued.get(token);
    if (approval) approval.isUsed = true;
  }

  /** The oldest come first. */
  #clear(now: number): void {
    for (const [token, { issuedAt }] of this.#issued) {
      if (this.#issued.size < MOST && now - issuedAt <= REMEMBERED * this.#lifetime) break;
      this.#issued.delete(token);
    }
  }
}

function marksOf({ method, url, body, headers, session, known }: Subject) {
  return {
    request: hashOf(`${method} ${url} ${session}`),
    body: hashOf(body, ...CONTENT.map((name) => header(headers, name) ?? '')),
    state: hashOf(JSON.stringify(known) ?? ''),
  };
}

/** Headers that say what the bytes are. */
const CONTENT = ['content-type', 'content-encoding'] as const;

function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}
