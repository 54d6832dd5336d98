import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ParseArgsOptionsConfig } from 'node:util';
import { openRegistry, type Registry } from '../registry/registry-database.ts';

/** The options of a command line, by name. */
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Command {
  readonly usage: string;
  readonly options: ParseArgsOptionsConfig;
  run(values: Values, positionals: readonly string[]): Promise<void>;
}

/** Control characters, with which SDL of others could change a terminal. */
const control = /(?![\t\n])\p{Cc}/gu;

/** Write a text to standard output, also when the process exits at once. */
export function print(text: string): void {
  const shown = text.replace(control, '\uFFFD');
  let rest = Buffer.from(shown.endsWith('\n') ? shown : `${shown}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // A pipe whose reader is slow.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

export const textIn = (values: Values, name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined;

export const listIn = (values: Values, name: string): string[] => (Array.isArray(values[name]) ? values[name].map(String) : []);

/** A whole number of the command line. Throws for another text. */
export function numberIn(text: string | undefined, title: string, max: number, min = 1): number {
  const number = Number(text);
  if (!/^\d+$/.test(text ?? '') || number < min || number > max)
    throw new Error(`${title} must be a whole number from ${min} to ${max}`);
  return number;
}

/** Read a file of the command line. */
export async function textOfFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? `${file} does not exist` : `${file} cannot be read: ${message}`);
  }
}

export const registryOptions = { database: { type: 'string' } } as const;

export const REGISTRY_USAGE = `  --database URL   postgres://user:password@host/database, with ?schema=NAME for another schema than
                   graph_registry (default: the variable DATABASE_URL, which no list of processes shows)
`;

/** Run a command on the registry that its options name. Creates its tables unless they exist. */
export async function withRegistry<T>(values: Values, work: (registry: Registry) => Promise<T>): Promise<T> {
  const address = textIn(values, 'database') ?? process.env.DATABASE_URL;
  if (!address) throw new Error('Name the database by --database or the variable DATABASE_URL');
  const registry = await openRegistry(address).catch((error: Error) => {
    throw new Error(`The database ${error.message}`);
  });
  try {
    await registry.createTables().catch((error: Error & { code?: string }) => {
      throw new Error(`${registry.name} cannot be used: ${error.message || error.code}`);
    });
    return await work(registry);
  } finally {
    await registry.close();
  }
}
