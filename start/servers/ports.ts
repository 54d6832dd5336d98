import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Find a free port. */
export const freePort = (): Promise<number> => probe(0);

/** The previous port of a server if it is free, or else another one. */
export async function storedPort(file: string, first = 0): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => String(first)));
  const wanted = Number.isInteger(last) && last > 0 && last < 65_536 ? last : first;
  const port = await (wanted ? probe(wanted).catch(steadyPort) : steadyPort());
  await writeFile(file, String(port));
  return port;
}

/** Find a free port below the ephemeral range, so that it is probably free at the next start. */
export async function steadyPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await probe(20_000 + Math.floor(Math.random() * 10_000)).catch(() => undefined);
    if (port) return port;
  }
  return probe(0);
}

function probe(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
