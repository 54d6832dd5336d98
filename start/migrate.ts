import { migrate, openDatabase } from '../subgraphs/common/database.ts';
import { tables } from './graph.ts';
import { openLocalDatabase } from './local-database.ts';
import { describeError } from './process.ts';

try {
  const localDatabase = await openLocalDatabase();
  const database = await openDatabase(localDatabase.url, tables, { connections: 2 });
  const applied = await migrate(database);
  process.stderr.write(applied.length > 0 ? `Applied ${applied.join(', ')}\n` : 'The database is up to date\n');
  await database.close();
  await localDatabase.close();
} catch (error) {
  process.stderr.write(`migrate: ${describeError(error)}\n`);
  process.exitCode = 1;
}
