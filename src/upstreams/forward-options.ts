import type { Target } from './target.ts';
import type { TargetTls } from './target-tls.ts';
import type { AnsweredBy } from './upstream.ts';

/** Connections to the target at a time, of each client: past them requests wait, before the process runs out of files. */
export const CONNECTIONS_AT_MOST = 1024;

/** How requests are forwarded. */
export interface ForwardOptions {
  target: Target;
  tls: TargetTls;
  answeredBy: AnsweredBy;
  /** Milliseconds that the target may be silent before it answers; 0: for ever. */
  timeout: number;
  /** Send the client's `Host` instead of the target's. */
  preserveHost: boolean;
  /** Add `X-Forwarded-For`, `-Proto` and `-Host`. */
  forwardedHeaders: boolean;
}
