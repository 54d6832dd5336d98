import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Slots } from '../queues/index.ts';

/** Resolves a host name. `trusted` means that the operator listed the name; other names come from users. */
export type Lookup = (hostname: string, trusted: boolean) => Promise<LookupAddress[]>;

/** Milliseconds to wait for IPv6 addresses once the IPv4 addresses are known. */
const IPV6_DELAY = 300;

export interface LookupOptions {
  /** Name servers as `address:port`; defaults to those of the system. */
  servers?: readonly string[];
  /** Milliseconds per query; a query is sent at most twice. */
  timeout?: number;
  /** Resolves a name that the operator listed; defaults to the system. Tests replace it. */
  system?: (hostname: string) => Promise<LookupAddress[]>;
}

/** Listed names that may wait for the system resolver at the same time. The process itself needs the other threads of libuv. */
const MAX_BY_SYSTEM = 4;

/**
 * Create the resolver of the process. It resolves names of users with c-ares, because `getaddrinfo` blocks a thread of libuv while a name
 * server does not answer. Names that the operator listed use the system resolver, with `/etc/hosts` and search domains.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { system = (hostname) => lookup(hostname, { all: true }) } = options;
  const pending = new Map<string, Promise<LookupAddress[]>>();
  const slots = new Slots(MAX_BY_SYSTEM);

  /** Blocks at most one thread per name, because users may request a listed name, too. */
  const bySystem = (hostname: string) => {
    const current = pending.get(hostname);
    if (current) return current;
    const addresses = slots.run('system', undefined, () => system(hostname)).finally(() => pending.delete(hostname));
    pending.set(hostname, addresses);
    return addresses;
  };
  return (hostname, trusted) => (trusted ? bySystem(hostname) : byNameServer(hostname, options));
}

async function byNameServer(hostname: string, { servers, timeout = 2_000 }: LookupOptions): Promise<LookupAddress[]> {
  // Created per lookup, so that it uses the current name servers of the system.
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  const none: LookupAddress[] = [];
  let failure: unknown;
  const resolved = (addresses: Promise<string[]>, family: 4 | 6) =>
    addresses.then(
      (all) => all.map((address): LookupAddress => ({ address, family })),
      (error: unknown) => {
        failure ??= error;
        return none;
      },
    );
  const ipv6 = resolved(resolver.resolve6(hostname), 6);
  const ipv4 = await resolved(resolver.resolve4(hostname), 4);
  const more = ipv4.length > 0 ? await Promise.race([ipv6, sleep(IPV6_DELAY, none)]) : await ipv6;
  resolver.cancel();
  const addresses = [...ipv4, ...more];
  if (addresses.length === 0) throw failure;
  return addresses;
}

export const systemLookup = createLookup();

/** The TXT records of a name, each joined to one text; none if the name has no records or its servers do not respond. */
export async function resolveTxt(name: string, { servers, timeout = 2_000 }: LookupOptions = {}): Promise<string[]> {
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  const records = await resolver.resolveTxt(name).catch(() => []);
  return records.map((parts) => parts.join(''));
}
