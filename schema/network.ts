import ipaddr from 'ipaddr.js';

/**
 * The rate limit key of requests without an API key: an IPv4 address, also when it is mapped into IPv6, or the /64 prefix of an IPv6
 * address. Providers assign at least a /64 to each customer.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
