import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PatchgateError, systemCode } from '../../errors.ts';
import { problemText } from '../problem.ts';

/** Node's own parts of a connection, as far as they are needed here. */
interface Connection extends Socket {
  _httpMessage?: ServerResponse | null;
  parser?: { incoming?: IncomingMessage | null } | null;
}

/**
 * Answers what Node's parser could not read as a request, or waited for in vain, with a problem that says so, behind
 * the answers to earlier requests, and closes the connection.
 *
 * @param patience milliseconds that the client has to take the answer and go
 * @param onUnread told of each that has no handler of its own to report it
 */
export function answerClientErrors(
  server: Server,
  patience: number,
  onUnread: (error: PatchgateError) => void,
): void {
  const answered = new WeakSet<Socket>();
  server.on('clientError', (thrown: Error, socket: Connection) => {
    // The parser says so again of everything that is still to come.
    if (answered.has(socket)) return;
    answered.add(socket);
    const error = errorOf(thrown);
    // Browsers connect in advance: one that has not sent a byte asks for nothing.
    if (error === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const { incoming } = socket.parser ?? {};
    const broken = incoming && !incoming.complete ? incoming : undefined;
    const { _httpMessage: writing } = socket;
    // One whose turn has not come never gets to a handler.
    if (!broken || (writing && writing.req !== broken)) onUnread(error);
    const answer = () => {
      const { _httpMessage: response } = socket;
      if (socket.destroyed) return;
      if (response && response.req !== broken) {
        // Node takes whoever has closed its end for gone, but not where that was within a further request.
        if (socket.readableEnded) socket.destroy();
        else response.once('close', answer);
      }
      // Whoever has its answer, or a part of it, would take another for the next one's.
      else if (broken && (!response || response.headersSent)) socket.destroy();
      else {
        const end = setTimeout(() => socket.destroy(), patience).unref();
        socket.once('close', () => clearTimeout(end));
        socket.end(problemText(error)).resume();
      }
    };
    answer();
  });
}

/** Undefined where the connection itself broke, and nobody is there to be told. */
function errorOf(thrown: Error): PatchgateError | undefined {
  const code = systemCode(thrown) ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new PatchgateError('client-timeout', "the client did not send its request's head in time", {
      hint: 'send it sooner, or start Patchgate with a longer --client-timeout',
    });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new PatchgateError(
      'head-too-large',
      `the request's head or trailers have more than ${maxHeaderSize} bytes`,
      { hint: 'send fewer or shorter headers' },
    );
  }
  if (!code.startsWith('HPE_')) return undefined;
  // The parser's own words, from a fixed list: nothing of the request stands in them.
  const reason = 'reason' in thrown && typeof thrown.reason === 'string' ? `: ${thrown.reason}` : '';
  return new PatchgateError('malformed-request', `the request is not well-formed HTTP/1.1${reason}`);
}
