import type { RecordedResponse } from '../../model/exchange.ts';
import { compareAnswers, type DriftRules } from '../../recordings/drift/compare-answers.ts';
import type { Drifts } from '../../recordings/drift/drifts.ts';
import { redactExchange } from '../../recordings/redaction/redact.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import type { Kept, Question } from './questions.ts';

/** The recorded answer that a live one is held against, and how the two differ. */
export interface Held {
  kept: Kept;
  drifts: Drifts;
}

/**
 * Of several recorded answers to one request, the service gave each at some time: a live one is held against that from which it
 * differs least, the last of those.
 *
 * @throws PatchgateError `bad-recording` where a body is missing
 */
export function nearestAnswer(
  question: Question,
  live: RecordedResponse,
  rules: DriftRules,
  store: RecordingStore,
): Held {
  let nearest: Held | undefined;
  for (const kept of [...question].reverse()) {
    const drifts = driftsOf(kept, live, rules, store);
    if (!nearest || distance(live, { kept, drifts }) < distance(live, nearest)) nearest = { kept, drifts };
    if (drifts.count === 0) break;
  }
  return nearest as Held;
}

function driftsOf(
  { exchange }: Kept,
  live: RecordedResponse,
  rules: DriftRules,
  store: RecordingStore,
): Drifts {
  const { request } = exchange;
  // More may be secret today than when it was recorded.
  const recorded = redactExchange(exchange, rules.redaction).response as RecordedResponse;
  const { body } = recorded;
  const bytes = body && 'file' in body ? store.readBody(request.method, request.path, body) : undefined;
  return compareAnswers(recorded, bytes, live, rules);
}

/** Another status is farther than anything. */
function distance(live: RecordedResponse, { kept, drifts }: Held): number {
  return kept.exchange.response?.status === live.status ? drifts.count : Number.POSITIVE_INFINITY;
}

/** Those of a question that were answered as this one, itself too. */
export function answeredAlike(question: Question, { exchange }: Kept): Kept[] {
  const text = JSON.stringify(exchange.response);
  return question.filter((other) => JSON.stringify(other.exchange.response) === text);
}
