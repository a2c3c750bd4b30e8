import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Server } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an IP address is reachable from this machine only. A name is no address: it could lead anywhere. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the server that got a request, Patchgate's or the one it is mounted in, is reachable from this machine only. */
export function listensOnLoopback({ socket }: IncomingMessage): boolean {
  const at = (socket as { server?: Partial<Server> }).server?.address?.();
  return at !== undefined && at !== null && typeof at === 'object' && isLoopback(at.address);
}
