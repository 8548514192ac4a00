// Which network addresses belong to the public internet. Everything else (loopback, private networks, link-local and with
// it the metadata services of clouds, multicast, reserved and documentation ranges) may be somebody's inside.
import { BlockList, isIP, isIPv4 } from 'node:net';

const inside4 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  inside4.addSubnet(network, bits);

/** The only part of the IPv6 space that is routed in public. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

const inside6 = new BlockList();
for (const [network, bits] of [
  // Teredo, benchmarks and other assignments that carry or hide other addresses.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: an IPv4 address in disguise.
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  inside6.addSubnet(network, bits, 'ipv6');

/** `address` without brackets. What is no address is not public. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? unmapped(address);
  const plain = mapped ?? address;
  if (isIPv4(plain)) return !inside4.check(plain);
  return isIP(plain) === 6 && global6.check(plain, 'ipv6') && !inside6.check(plain, 'ipv6');
}

/** `::ffff:7f00:1` is 127.0.0.1 in other words. */
function unmapped(address: string): string | undefined {
  const match = /^(?:0:){5}ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$|^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(
    address,
  );
  if (!match) return undefined;
  const [high, low] = [
    Number.parseInt(match[1] ?? match[3] ?? '', 16),
    Number.parseInt(match[2] ?? match[4] ?? '', 16),
  ];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Whether a list of hosts names this one; a leading dot names every host below it, and not itself. */
export const isNamed = (host: string, names: readonly string[]): boolean => {
  const wanted = host.toLowerCase().replace(/\.$/, '');
  return names.some((name) =>
    name.startsWith('.') ? wanted.endsWith(name.toLowerCase()) : wanted === name.toLowerCase(),
  );
};
