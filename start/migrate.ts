import { convertVectors } from '../subgraphs/agent/retrieval/vector-conversion.ts';
import { migrate, openDatabase } from '../subgraphs/common/database.ts';
import { Closers } from './closers.ts';
import { tables } from './graph.ts';
import { openLocalDatabase } from './local-database.ts';
import { describeError } from './process.ts';

const closers = new Closers();
try {
  const localDatabase = await openLocalDatabase();
  closers.add('PostgreSQL', localDatabase.close);
  const database = await openDatabase(localDatabase.url, tables, { connections: 2 });
  closers.add('database', database.close);
  const applied = await migrate(database);
  process.stderr.write(applied.length > 0 ? `Applied ${applied.join(', ')}\n` : 'The database is up to date\n');
  if (await convertVectors(localDatabase.url)) process.stderr.write('Converted the vectors to the type of pgvector\n');
} catch (error) {
  process.stderr.write(`migrate: ${describeError(error)}\n`);
  process.exitCode = 1;
} finally {
  await closers.closeAll();
}
