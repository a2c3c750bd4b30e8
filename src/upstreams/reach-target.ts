import { connect } from 'node:net';
import { addressOf, type Target } from './target.ts';

/**
 * Whether a connection to the target can be made, by its proxy where it has one. Nothing is sent to the target.
 *
 * @param patience milliseconds that it may take
 */
export async function canReach(target: Target, patience: number): Promise<boolean> {
  const { proxy, url } = target;
  const { openTunnel } = proxy ? await import('./tunnel.ts') : {};
  return new Promise((resolve) => {
    if (proxy && openTunnel) {
      openTunnel(target, proxy, undefined, patience, (error, socket) => {
        socket?.destroy();
        resolve(!error);
      });
      return;
    }
    const socket = connect(addressOf(url));
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
