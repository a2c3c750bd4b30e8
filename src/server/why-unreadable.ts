import type { IncomingMessage, Server } from 'node:http';
import { PatchgateError } from '../errors.ts';
import { unclearFraming } from './unclear-framing.ts';

/** Headers that the server which got the request keeps of it; the rest is dropped and could be anything. */
function headersKept({ socket }: IncomingMessage): number {
  const { maxHeadersCount } = (socket as { server?: Partial<Server> }).server ?? {};
  if (typeof maxHeadersCount !== 'number') return 1000;
  return maxHeadersCount > 0 ? maxHeadersCount : Number.POSITIVE_INFINITY;
}

/** What keeps the gate from seeing the request as it was sent. */
export function whyUnreadable(req: IncomingMessage): PatchgateError | undefined {
  if (req.readableDidRead) {
    return new PatchgateError(
      'body-already-read',
      "the request's body was read before the gate could judge it",
      {
        hint: 'mount Patchgate before any body parser',
      },
    );
  }
  const unclear = unclearFraming(req);
  if (unclear !== undefined)
    return new PatchgateError('malformed-request', `the request is ambiguous: ${unclear}`);
  const most = headersKept(req);
  if (req.rawHeaders.length < 2 * most) return undefined;
  return new PatchgateError('too-many-headers', `the request has ${most} headers or more`, {
    hint: 'send fewer',
  });
}
