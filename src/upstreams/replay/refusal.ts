import { PatchgateError } from '../../errors.ts';
import type { Exchange, FailureKind } from '../../model/exchange.ts';
import { recordIt } from '../../recordings/matching/explain-path.ts';
import { ageOf, ageText, type Unanswerable } from './answerable.ts';
import type { Refused } from './sequences.ts';

/** Says why a request is not answered that matches what was recorded. */
export function refusal(recording: string, refused: Refused): PatchgateError {
  const { reason, stored } = refused;
  const { exchange } = stored;
  const what = `${exchange.request.method} ${exchange.request.path}`;
  const [text, hint] =
    reason === 'already-served' ? servedText(refused) : TEXTS[reason](exchange, recordIt(recording));
  return new PatchgateError(
    'no-recording',
    `the recording "${recording}" matches this ${what}, but ${text}`,
    { hint, details: { recording, reason, recordedAt: exchange.meta.recordedAt } },
  );
}

type Text = [text: string, hint: string];

function servedText({ recorded, served }: Extract<Refused, { reason: 'already-served' }>): Text {
  const often = served === recorded ? 'as often' : times(served);
  const others = served === recorded ? '' : '; the others are no answers';
  return [
    `it was recorded ${times(recorded)} and has been served ${often} already (--strict-sequence)${others}`,
    'send it as often as it was recorded, use a session of its own (Patchgate-Session), or start the sequence anew: POST /__patchgate/reset',
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** What became of the request when it was recorded. */
const FAILED: Readonly<Record<FailureKind, string>> = {
  refused: 'no connection to the target could be made',
  timeout: 'the target did not answer in time',
  reset: 'the connection to the target broke',
  truncated: 'the response broke off',
};

const TEXTS: Readonly<Record<Unanswerable, (exchange: Exchange, again: string) => Text>> = {
  stale: (exchange, again) => [
    `it was recorded ${ageText(ageOf(exchange))} ago, which is too old (--max-age, --on-stale refuse)`,
    `record it again: ${again}`,
  ],
  failure: ({ failure }, again) => [
    `${failure ? FAILED[failure.kind] : 'there was no response'} when it was recorded`,
    `record it again: ${again}; or let it fail as it did then: --replay-failures`,
  ],
  omitted: (_, again) => [
    "the response's body was not kept: it was too large, or in a content coding that cannot be undone here",
    `record it again with a larger limit: ${again} --record-limit SIZE`,
  ],
};
