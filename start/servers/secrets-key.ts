import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** Read the key from this file, or generate it on the first start. Without it, stored secrets cannot be decrypted. */
export async function storedSecretsKey(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (known?.trim()) return known.trim();
  const key = randomBytes(32).toString('base64');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
