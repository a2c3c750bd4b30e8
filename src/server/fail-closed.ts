import type { Handler } from './data-path.ts';
import { ownFault } from './own-fault.ts';
import { problemOfError } from './problem.ts';

/** What throws while it takes a request is a fault of ours: the request goes nowhere, and others go on. */
export function failClosed(handler: Handler): Handler {
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
