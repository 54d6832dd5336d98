/**
 * dns of Node 24.21.0 looks up the same name once for each connection, and blocks a thread for each lookup of the system. Upstream would have to share
 * lookups, or look up names without a thread. A `lookup` option does not suffice, because neither `pg` nor the clients of Temporal have one.
 */
import { AsyncResource } from 'node:async_hooks';
import dns from 'node:dns';

type Callback = (...answer: unknown[]) => void;

/**
 * Make all connections of the process that resolve the same name at the same time wait for one lookup. While a name server is silent, each
 * lookup of the system blocks a thread, so many connections to one host would delay those to all other hosts.
 */
export function shareLookups(): void {
  const waiting = new Map<string, Callback[]>();
  const { lookup } = dns;
  const shared = (hostname: string, ...rest: unknown[]): void => {
    const callback = AsyncResource.bind(rest.at(-1) as Callback);
    const options = rest.length > 1 ? rest[0] : {};
    const key = JSON.stringify([hostname, options]);
    const others = waiting.get(key);
    if (others) return void others.push(callback);
    const callbacks = [callback];
    // An invalid argument throws here, before anybody else waits.
    lookup(hostname, options as dns.LookupAllOptions, (...answer) => {
      waiting.delete(key);
      for (const each of callbacks) process.nextTick(each, ...answer);
    });
    waiting.set(key, callbacks);
  };
  Object.defineProperties(shared, Object.getOwnPropertyDescriptors(lookup));
  dns.lookup = shared as unknown as typeof dns.lookup;
}
