import ipaddr from 'ipaddr.js';

/**
 * The network that requests without a key are counted by: an IPv4 address, also when it is mapped into IPv6, or the /64 prefix of an
 * IPv6 address, because one customer of a provider holds at least that many addresses.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
