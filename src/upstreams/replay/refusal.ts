import { PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import { ageOf, ageText } from './answerable.ts';
import type { Refused } from './choose.ts';

/** Says why a request is not answered that matches what was recorded. */
export function refusal(recording: string, { reason, exchange }: Refused): PatchgateError {
  const what = `${exchange.request.method} ${exchange.request.path}`;
  const [text, hint] = TEXTS[reason](exchange);
  return new PatchgateError(
    'no-recording',
    `the recording "${recording}" matches this ${what}, but ${text}`,
    { hint, details: { recording, reason, recordedAt: exchange.meta.recordedAt } },
  );
}

const AGAIN = 'patchgate proxy <target> --record';

const TEXTS: Readonly<Record<Refused['reason'], (exchange: Exchange) => [text: string, hint: string]>> = {
  'already-served': () => [
    'all that was recorded for it has been served already (--strict-sequence)',
    'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset',
  ],
  stale: (exchange) => [
    `it was recorded ${ageText(ageOf(exchange))} ago, which is too old (--max-age, --on-stale refuse)`,
    `record it again: ${AGAIN}`,
  ],
  failure: ({ failure }) => [
    `the target failed when it was recorded (${failure?.kind ?? 'there is no response'})`,
    `record it again: ${AGAIN}; or let it fail as the target did: --replay-failures`,
  ],
  omitted: () => [
    "the response's body was not kept: it was too large, or in a content coding that cannot be undone here",
    `record it again with a larger limit: ${AGAIN} --record-limit SIZE`,
  ],
};
