import type { OutgoingMessage } from 'node:http';

/** Bytes of a body that cost less to be copied than to be written as a second piece. */
const SHORT = 16_384;

/** Ends a message whose head is there. A short body goes out in one piece with it. */
export function endWith(message: OutgoingMessage, body: Buffer): void {
  if (body.length === 0) message.end();
  else if (body.length <= SHORT) message.end(body.toString('latin1'), 'latin1');
  else message.end(body);
}
