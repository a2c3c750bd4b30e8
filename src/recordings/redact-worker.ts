/** The thread in which large exchanges are redacted while its process goes on answering. */
import { parentPort } from 'node:worker_threads';
import { plainExchangeOf } from './plain-exchange.ts';
import { hidingTexts, redactionOf } from './redact/redaction.ts';
import { bufferOf, type RedactDone, type RedactWork } from './redact-beside.ts';

parentPort?.on('message', ({ seen, settings, texts, given, keepHeaders }: RedactWork) => {
  const redaction = hidingTexts({ ...redactionOf(settings), given }, texts);
  seen.requestBody = bufferOf(seen.requestBody);
  seen.responseBody = bufferOf(seen.responseBody);
  const exchange = plainExchangeOf(seen, redaction, keepHeaders);
  parentPort?.postMessage({ exchange, given } satisfies RedactDone);
});
