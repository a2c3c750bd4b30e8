import type { IncomingMessage, ServerResponse } from 'node:http';
import { PatchgateError } from '../../errors.ts';
import type { Approvals } from '../../guard/approvals.ts';
import type { ExchangeList } from '../exchange-list.ts';

const SUBSCRIBERS_AT_MOST = 64;
/** Bytes that may wait for a subscriber; who reads more slowly than that is cut off. */
const WAITING_AT_MOST = 1_048_576;
const HEARTBEAT_MS = 15_000;

/**
 * The stream of server-sent events: `event: exchange` for each exchange seen, with the shown form, without bodies, as
 * its data; `event: approval` for each approval that is made or changes. Nothing is sent again to a subscriber that comes back.
 *
 * @param stopping ends all streams
 */
export function createEvents(
  exchanges: ExchangeList,
  approvals: Pick<Approvals, 'subscribe'>,
  stopping?: AbortSignal,
): (req: IncomingMessage, res: ServerResponse) => void {
  const subscribers = new Set<ServerResponse>();
  let stopListening: (() => void)[] = [];
  let heartbeat: NodeJS.Timeout | undefined;

  const stop = () => {
    for (const end of stopListening) end();
    clearInterval(heartbeat);
  };
  const leave = (res: ServerResponse) => {
    if (subscribers.delete(res) && subscribers.size === 0) stop();
  };
  const sendToAll = (frame: string) => {
    for (const res of subscribers) {
      if (res.writableLength + frame.length > WAITING_AT_MOST) res.destroy();
      else res.write(frame);
    }
  };
  const start = () => {
    stopListening = [
      exchanges.subscribe((shown) => {
        sendToAll(`event: exchange\nid: ${shown.id}\ndata: ${JSON.stringify(shown)}\n\n`);
      }),
      approvals.subscribe((approval) => {
        sendToAll(`event: approval\ndata: ${JSON.stringify(approval)}\n\n`);
      }),
    ];
    heartbeat = setInterval(() => sendToAll(':\n\n'), HEARTBEAT_MS).unref();
  };

  stopping?.addEventListener('abort', () => {
    stop();
    const all = [...subscribers];
    subscribers.clear();
    for (const res of all) res.end();
  });

  return (req, res) => {
    if (subscribers.size >= SUBSCRIBERS_AT_MOST) {
      const message = `there are ${SUBSCRIBERS_AT_MOST} subscribers to events already`;
      throw new PatchgateError('not-allowed', message, { hint: 'close one of them' });
    }
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (req.method === 'HEAD' || stopping?.aborted) {
      res.end();
      return;
    }
    // Something has to be sent at once, or a client cannot tell that it is connected.
    res.write(':\n\n');
    if (subscribers.size === 0) start();
    subscribers.add(res);
    // The client may vanish at any time; 'close' comes after it.
    res.on('error', () => undefined).on('close', () => leave(res));
  };
}
