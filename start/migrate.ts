import { convertVectors } from '../subgraphs/agent/retrieval/vector-conversion.ts';
import { openLocalDatabase } from './operator/command.ts';
import { Closers } from './process/closers.ts';
import { describeError } from './process/run.ts';
import { migrateDatabase } from './process-services.ts';

const closers = new Closers();
try {
  const { directUrl, close } = await openLocalDatabase();
  closers.add('PostgreSQL', close);
  const applied = await migrateDatabase(directUrl);
  process.stderr.write(applied.length > 0 ? `Applied ${applied.join(', ')}\n` : 'The database is up to date\n');
  if (await convertVectors(directUrl)) process.stderr.write('Converted the vectors to the type of pgvector\n');
} catch (error) {
  process.stderr.write(`migrate: ${describeError(error)}\n`);
  process.exitCode = 1;
} finally {
  await closers.closeAll();
}
