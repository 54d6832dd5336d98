import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../schema/environment.ts';
import type { ServerOptions } from './server.ts';

/**
 * Read the configured certificate and key, if any. Throws `ConfigurationError` when a file is unreadable or the key does not
 * match the certificate.
 */
export async function readTls({ TLS_CERT, TLS_KEY }: { TLS_CERT?: string; TLS_KEY?: string }): Promise<ServerOptions['tls']> {
  if (!TLS_CERT || !TLS_KEY) return undefined;
  const faults: string[] = [];
  const read = (name: string, file: string) =>
    readFile(file).catch((error: Error) => void faults.push(`${name} cannot be read: ${error.message}`));
  const [cert, key] = await Promise.all([read('TLS_CERT', TLS_CERT), read('TLS_KEY', TLS_KEY)]);
  if (!cert || !key) throw new ConfigurationError(faults);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigurationError([`TLS_CERT and TLS_KEY must be a PEM certificate and its key: ${(error as Error).message}`]);
  }
  return { cert, key };
}
