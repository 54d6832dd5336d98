import { migrate, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/subgraphs.ts';
import { createDatabase, EMPTY } from './database.ts';

/** Create a migrated database. The other databases of a test run are copies of it, because migrating each takes a second. */
export async function createTemplate(beside: string): Promise<{ name: string; drop(): Promise<void> }> {
  const { url, drop } = await createDatabase({ beside, template: EMPTY });
  const database = await openDatabase(url, tables, { connections: 2 });
  await migrate(database).finally(() => database.close());
  return { name: new URL(url).pathname.slice(1), drop };
}
