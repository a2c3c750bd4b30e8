import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PatchgateError } from '../errors.ts';
import type { Approvals } from '../guard/approvals.ts';
import type { ExchangeList } from './exchange-list.ts';

const SUBSCRIBERS_AT_MOST = 64;
/** Bytes that may wait for a subscriber; who reads more slowly than that is cut off. */
const WAITING_AT_MOST = 1_048_576;
const HEARTBEAT_MS = 15_000;

/** Server-sent events of exchanges and approvals. Nothing is sent again to a subscriber that comes back. @param stopping ends all streams */
export function createEvents(
  exchanges: ExchangeList,
  approvals: Pick<Approvals, 'subscribe'>,
  stopping: AbortSignal,
): (req: IncomingMessage, res: ServerResponse) => void {
  setMaxListeners(SUBSCRIBERS_AT_MOST, stopping);
  let subscribers = 0;
  return (req, res) => {
    if (subscribers >= SUBSCRIBERS_AT_MOST)
      throw new PatchgateError(
        'not-allowed',
        `there are ${SUBSCRIBERS_AT_MOST} subscribers to events already`,
        {
          hint: 'close one of them',
        },
      );
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // Something has to be sent at once, or a client cannot tell that it is connected.
    res.write(':\n\n');
    if (req.method === 'HEAD' || stopping.aborted) {
      res.end();
      return;
    }
    const send = (frame: string) => {
      if (res.writableLength + frame.length > WAITING_AT_MOST) res.destroy();
      else res.write(frame);
    };
    const leaveExchanges = exchanges.subscribe((shown) =>
      send(`event: exchange\nid: ${shown.id}\ndata: ${JSON.stringify(shown)}\n\n`),
    );
    const leaveApprovals = approvals.subscribe((approval) =>
      send(`event: approval\ndata: ${JSON.stringify(approval)}\n\n`),
    );
    const heartbeat = setInterval(send, HEARTBEAT_MS, ':\n\n').unref();
    const end = () => res.end();
    stopping.addEventListener('abort', end);
    subscribers++;
    res
      .on('error', () => undefined)
      .once('close', () => {
        subscribers--;
        leaveExchanges();
        leaveApprovals();
        clearInterval(heartbeat);
        stopping.removeEventListener('abort', end);
      });
  };
}
