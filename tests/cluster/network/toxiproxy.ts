import { join } from 'node:path';
import { launch, Part } from '../part.ts';
import { portsFor, untilOpen } from '../ports.ts';
import { type Link, ToxiproxyLink } from './link.ts';

/** Connections between the processes of a cluster. */
export interface Network {
  /** The links so far. */
  readonly links: readonly Link[];
  /** The local port at which `from` reaches the service `to`, which listens on `port`. */
  portOf(from: string, to: string, port: number): Promise<number>;
}

/** Processes connect to each other directly. */
export const directNetwork: Network = { links: [], portOf: async (_from, _to, port) => port };

/** Like a URL of a service, but as `from` reaches it. */
export async function urlThrough(network: Network, from: string, to: string, url: string): Promise<string> {
  const own = new URL(url);
  own.port = String(await network.portOf(from, to, Number(own.port)));
  // A URL of origin only would get a slash.
  return url.endsWith('/') ? own.href : own.href.replace(/\/$/, '');
}

/** Start Toxiproxy, through which every link gets a port of its own. */
export async function startToxiproxy(program: string, folder: string): Promise<Network & { part: Part }> {
  const { api } = await portsFor(['api']);
  const part = new Part('toxiproxy', () =>
    launch({
      command: program,
      args: ['-host', '127.0.0.1', '-port', String(api)],
      logFile: join(folder, 'toxiproxy.log'),
      ready: () => untilOpen(api),
    }),
  );
  await part.start();
  const links: ToxiproxyLink[] = [];
  return {
    part,
    links,
    async portOf(from, to, port) {
      const known = links.find((link) => link.from === from && link.to === to && link.target === port);
      if (known) return known.port;
      const link = new ToxiproxyLink({
        api: `http://127.0.0.1:${api}`,
        from,
        to,
        target: port,
        port: (await portsFor(['link'])).link,
      });
      await link.create();
      links.push(link);
      return link.port;
    },
  };
}
