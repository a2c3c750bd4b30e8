import { lookup } from 'node:dns/promises';
import { type AddressInfo, BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PatchgateError } from '../../errors.ts';

/**
 * A target that leads to the socket that this server listens on would be asked by itself, again and again.
 *
 * @throws PatchgateError `bad-usage`
 */
export async function refuseOwnTarget(target: string, at: AddressInfo): Promise<void> {
  const { protocol, hostname, port } = new URL(target);
  if ((Number(port) || (protocol === 'https:' ? 443 : 80)) !== at.port) return;
  const own = addressesOf(at);
  const found = await addressesNamed(hostname.replace(/^\[|\]$/g, ''));
  const address = found.find(({ address, family }) => own.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  if (!address) return;
  throw new PatchgateError(
    'bad-usage',
    `the target ${target} is this server itself: it leads to ${address.address} port ${at.port}, where the server listens`,
    { hint: 'give the address of the service, or listen elsewhere with --port or --host' },
  );
}

/** What has no address now may have one later: that is no reason to refuse. */
async function addressesNamed(name: string) {
  try {
    return await lookup(name, { all: true });
  } catch {
    return [];
  }
}

/** The addresses under which a socket can be reached from this machine; those of IPv4 mapped into IPv6 count as well. */
function addressesOf({ address }: AddressInfo): BlockList {
  const own = new BlockList();
  const add = (one: string) => own.addAddress(one, one.includes(':') ? 'ipv6' : 'ipv4');
  add(address);
  // A connection to no address in particular goes to this machine.
  if (address === '127.0.0.1') add('0.0.0.0');
  if (address === '::1') add('::');
  if (address !== '0.0.0.0' && address !== '::') return own;
  add('0.0.0.0');
  own.addSubnet('127.0.0.0', 8);
  // Node's sockets of IPv6 take IPv4, too.
  if (address === '::') add('::1');
  for (const one of Object.values(networkInterfaces()).flat())
    if (one && (one.family === 'IPv4' || address === '::')) add(one.address);
  return own;
}
