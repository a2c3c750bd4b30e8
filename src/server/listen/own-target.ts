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
  // What has no address now may have one later: that is no reason to refuse.
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  const own = addressesOf(at);
  const address = found.find(({ address, family }) => own.check(address, family === 6 ? 'ipv6' : 'ipv4'));
  if (!address) return;
  throw new PatchgateError(
    'bad-usage',
    `the target ${target} is this server itself: it leads to ${address.address} port ${at.port}, where the server listens`,
    { hint: 'give the address of the service, or listen elsewhere with --port or --host' },
  );
}

/** The addresses under which a socket can be reached from this machine. A connection to no address in particular goes to this machine. */
function addressesOf({ address }: AddressInfo): BlockList {
  const isAny = address === '0.0.0.0' || address === '::';
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const local = isAny ? [...all.map((one) => one.address), '::1'] : [address];
  const own = new BlockList();
  for (const one of ['0.0.0.0', '::', ...local]) own.addAddress(one, one.includes(':') ? 'ipv6' : 'ipv4');
  if (isAny) own.addSubnet('127.0.0.0', 8);
  return own;
}
