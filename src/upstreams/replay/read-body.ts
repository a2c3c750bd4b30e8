import type { IncomingMessage } from 'node:http';
import { PatchgateError } from '../../errors.ts';
import { readBytes } from '../read-bytes.ts';
import type { UpstreamRequest } from '../upstream.ts';

/** The whole body of a request that nobody has read yet; undefined where the client broke off. */
export function readBody(request: UpstreamRequest, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const stream = request.stream as IncomingMessage;
    readBytes(stream, limit, (bytes) => {
      if (bytes !== 'too-large') resolve(bytes);
      else {
        reject(
          new PatchgateError('request-too-large', `the request's body has more than ${limit} bytes`, {
            hint: 'only a request whose body fits into memory can be looked up in a recording',
          }),
        );
      }
    });
    // The gate pauses a body that is too large for judging.
    stream.resume();
  });
}
