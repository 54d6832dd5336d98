import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves a host name. `trusted` says that an operator listed the name; any other name came from a user. */
export type Lookup = (hostname: string, trusted: boolean) => Promise<LookupAddress[]>;

/** Milliseconds to wait for IPv6 addresses once the IPv4 addresses are known. */
const IPV6_DELAY = 300;

interface LookupOptions {
  /** Name servers as `address:port`; those of the system when absent. */
  servers?: readonly string[];
  /** Milliseconds for a query, which is sent twice. */
  timeout?: number;
}

/**
 * The resolver of the process. Names of users are asked of the name servers over c-ares sockets: `getaddrinfo` would hold one of
 * libuv's four threads while a name server is silent, and file access and the operator's own names with it. Names that an operator
 * listed are resolved by the system, with `/etc/hosts` and search domains.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const underWay = new Map<string, Promise<LookupAddress[]>>();

  /** One thread per name at most: users may ask for a listed name, too. */
  const bySystem = (hostname: string) => {
    const known = underWay.get(hostname);
    if (known) return known;
    const addresses = lookup(hostname, { all: true }).finally(() => underWay.delete(hostname));
    underWay.set(hostname, addresses);
    return addresses;
  };
  return (hostname, trusted) => (trusted ? bySystem(hostname) : byNameServer(hostname, options));
}

async function byNameServer(hostname: string, { servers, timeout = 2_000 }: LookupOptions): Promise<LookupAddress[]> {
  // Created for each lookup, so that it reads the system's name servers as they are now.
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  const none: LookupAddress[] = [];
  let failure: unknown;
  const found = (addresses: Promise<string[]>, family: 4 | 6) =>
    addresses.then(
      (all) => all.map((address): LookupAddress => ({ address, family })),
      (error: unknown) => {
        failure ??= error;
        return none;
      },
    );
  const ipv6 = found(resolver.resolve6(hostname), 6);
  const ipv4 = await found(resolver.resolve4(hostname), 4);
  const more = ipv4.length > 0 ? await Promise.race([ipv6, sleep(IPV6_DELAY, none)]) : await ipv6;
  resolver.cancel();
  const addresses = [...ipv4, ...more];
  if (addresses.length === 0) throw failure;
  return addresses;
}

export const systemLookup = createLookup();
