import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import { PatchgateError } from '../errors.ts';
import type { Connector } from './connector.ts';
import { type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { noAnswer, timedOut } from './target.ts';

/** What became of a WebSocket's handshake: the target's answer, 101 or a refusal, or why there is none. */
type UpgradeOutcome = { status: number; headers: readonly string[] } | { error: PatchgateError };

/** Joins a client's socket with one to the target, if the target agrees. */
export type Upgrade = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  done: (outcome: UpgradeOutcome) => void,
) => void;

/** WebSockets, by http-proxy. Headers and path are set as they were sent. */
export function createUpgrade(options: ForwardOptions, open: Connector['open']): Upgrade {
  const { target, timeout } = options;
  const agent = new Agent();
  agent.createConnection = (asked, done) => {
    open(asked, (error, socket) => done?.(error, socket as Socket));
    return undefined as unknown as Socket;
  };
  // The connector alone knows the target's address, and whether it speaks TLS.
  const proxy = httpProxy.createProxyServer({ target: 'http://target', agent, ignorePath: true });

  return (incoming, socket, head, done) => {
    let report: typeof done | undefined = done;
    const once: typeof done = (outcome) => {
      report?.(outcome);
      report = undefined;
    };
    const headers = [...outgoingHeaders(incoming.rawHeaders, options), 'connection', 'Upgrade'];
    proxy.once('proxyReqWs', (outgoing) => {
      outgoing.path = outgoingPath(target.path, incoming.url as string);
      setHeaders(outgoing, headers);
      const fail = (error: PatchgateError) => {
        once({ error });
        outgoing.destroy();
      };
      const giveUp = () => fail(timedOut(target, timeout, outgoing.socket !== null));
      const silence = timeout === 0 ? undefined : setTimeout(giveUp, timeout).unref();
      const answered = (answer: IncomingMessage) => {
        clearTimeout(silence);
        once({ status: answer.statusCode as number, headers: answer.rawHeaders });
      };
      outgoing.once('close', () => clearTimeout(silence));
      const gone = 'the client went away before the target answered';
      socket.once('close', () => fail(new PatchgateError('target-unreachable', gone)));
      outgoing.once('upgrade', (answer, other) => {
        answered(answer);
        // http-proxy ends it only if the client's socket ends in good order.
        socket.once('close', () => other.destroy());
      });
      outgoing.once('response', (answer) => {
        answered(answer);
        // It is no upgrade: the answer goes out with its chunks put together, and ends with the connection.
        delete answer.headers['transfer-encoding'];
        delete answer.headers['keep-alive'];
        answer.headers.connection = 'close';
        answer.once('close', () => socket.end().resume());
      });
    });
    incoming.headers = { upgrade: 'websocket' };
    proxy.ws(incoming, socket, head, {}, (error: Error) => once({ error: noAnswer(target, error, timeout) }));
  };
}

function setHeaders(outgoing: ClientRequest, headers: readonly string[]): void {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string];
    // The first one may be what Node has made of the address: `host` comes first.
    if (i > 0 && outgoing.hasHeader(name)) outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
}
