import { connect } from 'node:net';
import { steadyPort } from '../../start/servers/ports.ts';
import { poll } from '../../start/servers/processes.ts';

/** Find different free ports, one for each name. */
export async function portsFor<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const taken = new Set<number>();
  const ports: Partial<Record<Name, number>> = {};
  for (const name of names) {
    let port = await steadyPort();
    while (taken.has(port)) port = await steadyPort();
    taken.add(port);
    ports[name] = port;
  }
  return ports as Record<Name, number>;
}

const accepts = (port: number) =>
  new Promise<true | undefined>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(undefined));
  });

/** Wait until the port accepts connections. */
export async function untilOpen(port: number, forMs = 60_000): Promise<void> {
  if (!(await poll(() => accepts(port), { forMs }))) throw new Error(`Nothing listens on port ${port}`);
}
