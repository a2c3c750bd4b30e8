/** The thread in which large exchanges are redacted while its process goes on answering. */
import { parentPort } from 'node:worker_threads';
import { plainExchangeOf } from './plain-exchange.ts';
import { hidingTexts, redactionOf } from './redact/redaction.ts';
import { bufferOf, type RedactWork } from './redact-beside.ts';

parentPort?.on('message', ({ seen, headers, settings, texts }: RedactWork) => {
  const redaction = hidingTexts(redactionOf(settings), texts);
  const { request, response } = seen;
  request.body = bufferOf(request.body);
  if (response.body instanceof Uint8Array) response.body = bufferOf(response.body);
  parentPort?.postMessage(plainExchangeOf(seen, { headers, redaction }));
});
