import { openRegistry, type Registry } from '../registry/registry-database.ts';
import { textIn, type Values } from './command-line.ts';

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
