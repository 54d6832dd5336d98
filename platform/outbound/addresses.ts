import ipaddr from 'ipaddr.js';

/**
 * The IANA IPv4 and IPv6 Special-Purpose Address Registries, entry by entry, and a few blocks of other registries. Nested entries are
 * included, so that the list can be compared with the registries.
 */
export const specialPurpose: readonly (readonly [block: string, name: string])[] = [
  ['0.0.0.0/8', '"This network"'],
  ['10.0.0.0/8', 'Private-Use'],
  ['100.64.0.0/10', 'Shared Address Space'],
  ['127.0.0.0/8', 'Loopback'],
  ['169.254.0.0/16', 'Link Local'],
  ['172.16.0.0/12', 'Private-Use'],
  ['192.0.0.0/24', 'IETF Protocol Assignments'],
  ['192.0.0.0/29', 'IPv4 Service Continuity Prefix'],
  ['192.0.0.8/32', 'IPv4 dummy address'],
  ['192.0.0.9/32', 'Port Control Protocol Anycast'],
  ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast'],
  ['192.0.0.170/32', 'NAT64/DNS64 Discovery'],
  ['192.0.0.171/32', 'NAT64/DNS64 Discovery'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
  ['192.31.196.0/24', 'AS112-v4'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)'],
  ['192.168.0.0/16', 'Private-Use'],
  ['192.175.48.0/24', 'Direct Delegation AS112 Service'],
  ['198.18.0.0/15', 'Benchmarking'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)'],
  ['240.0.0.0/4', 'Reserved'],
  ['255.255.255.255/32', 'Limited Broadcast'],
  ['224.0.0.0/4', 'Multicast (IPv4 Multicast Address Space Registry)'],
  ['168.63.129.16/32', 'Not in a registry: the platform address inside every Azure network'],

  ['::1/128', 'Loopback Address'],
  ['::/128', 'Unspecified Address'],
  ['::/96', 'IPv4-compatible, deprecated (RFC 4291)'],
  ['::ffff:0:0/96', 'IPv4-mapped Address'],
  ['::ffff:0:0:0/96', 'IPv4-translated, deprecated (RFC 2765)'],
  ['64:ff9b::/96', 'IPv4-IPv6 Translation'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translation'],
  ['100::/64', 'Discard-Only Address Block'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix'],
  ['2001::/23', 'IETF Protocol Assignments'],
  ['2001::/32', 'TEREDO'],
  ['2001:1::1/128', 'Port Control Protocol Anycast'],
  ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast'],
  ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast'],
  ['2001:2::/48', 'Benchmarking'],
  ['2001:3::/32', 'AMT'],
  ['2001:4:112::/48', 'AS112-v6'],
  ['2001:10::/28', 'Deprecated (previously ORCHID)'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix'],
  ['2001:db8::/32', 'Documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'Direct Delegation AS112 Service'],
  ['3fff::/20', 'Documentation'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs'],
  ['fc00::/7', 'Unique-Local'],
  ['fe80::/10', 'Link-Local Unicast'],
  ['fec0::/10', 'Site-local, deprecated (RFC 3879)'],
  ['ff00::/8', 'Multicast (IPv6 Multicast Address Space Registry)'],
];

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number];
const blocks: Block[] = specialPurpose.map(([block]) => ipaddr.parseCIDR(block));
const inside = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Block) =>
  address.kind() === network.kind() && (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits);

/** All IPv6 addresses that are allocated for use on the internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Whether an address is on the public internet. False in case of doubt. */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv6' && !inside(address, globalUnicast)) return false;
  return address.range() === 'unicast' && !blocks.some((block) => inside(address, block));
}
