import { connect } from 'node:net';
import { parseTarget } from './target.ts';

/**
 * Whether a connection to the target can be made. Nothing is sent.
 *
 * @param patience milliseconds that it may take
 */
export function canReach(target: string, patience: number): Promise<boolean> {
  const { hostname, port, protocol } = parseTarget(target).url;
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const over = (isReached: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isReached);
    };
    // Not the socket's own: that one begins anew when a name has been looked up.
    const timer = setTimeout(over, patience, false);
    socket.once('connect', () => over(true)).once('error', () => over(false));
  });
}
