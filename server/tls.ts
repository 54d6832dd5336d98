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
  const files = Object.entries({ TLS_CERT, TLS_KEY });
  const contents = await Promise.allSettled(files.map(([, file]) => readFile(file)));
  const faults = contents.flatMap((content, index) =>
    content.status === 'rejected' ? [`${files[index]![0]} cannot be read: ${content.reason.message}`] : [],
  );
  if (faults.length) throw new ConfigurationError(faults);
  const [cert, key] = contents.map((content) => (content as PromiseFulfilledResult<Buffer>).value) as [Buffer, Buffer];
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigurationError([`TLS_CERT and TLS_KEY must be a PEM certificate and its key: ${(error as Error).message}`]);
  }
  return { cert, key };
}
