/** The thread in which large exchanges are redacted while its process goes on answering. */
import { parentPort } from 'node:worker_threads';
import { plainExchangeOf } from './plain-exchange.ts';
import { type FoundSecret, hidingTexts, redactionOf } from './redact/redaction.ts';
import { bufferOf, type RedactDone, type RedactWork } from './redact-beside.ts';

parentPort?.on('message', ({ id, seen, settings, texts, given, keepHeaders }: RedactWork) => {
  const redaction = hidingTexts({ ...redactionOf(settings), given: new Set(given) }, texts);
  const found: FoundSecret[] = [];
  const whole = {
    ...seen,
    requestBody: bufferOf(seen.requestBody),
    responseBody: bufferOf(seen.responseBody),
  };
  const exchange = plainExchangeOf(whole, redaction, new Set(keepHeaders), (one) => found.push(one));
  parentPort?.postMessage({ id, exchange, found } satisfies RedactDone);
});
