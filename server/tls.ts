import { readFile } from 'node:fs/promises';
import type { ServerOptions } from './server.ts';

/** The certificate and key that the configuration names, read; nothing when it names none. */
export async function readTls({ TLS_CERT, TLS_KEY }: { TLS_CERT?: string; TLS_KEY?: string }): Promise<ServerOptions['tls']> {
  if (!TLS_CERT || !TLS_KEY) return undefined;
  return { cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) };
}
