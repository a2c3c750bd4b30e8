import { messageOf, PatchgateError } from '../errors.ts';
import type { DataPath } from './data-path.ts';
import { problemOfError } from './problem.ts';

/** What throws while it takes a request is a fault of ours: the request goes nowhere, and others go on. */
export function failClosed(handler: DataPath): DataPath {
  return (req, res) => {
    try {
      handler(req, res);
    } catch (error) {
      if (res.headersSent) {
        res.destroy();
        return;
      }
      const { status, headers, body } = problemOfError(ownFault(error));
      res.shouldKeepAlive = false;
      res.writeHead(status, headers).end(body);
    }
  };
}

/** What a client is told of something thrown that nobody throws on purpose. */
export function ownFault(cause: unknown): PatchgateError {
  return new PatchgateError('internal', `Patchgate failed on this request: ${messageOf(cause)}`, { cause });
}
