import { readConfig } from '../subgraphs/common/config.ts';
import { migrate, openDatabase } from '../subgraphs/common/database.ts';
import { tables } from './graph.ts';
import { need, sentenceOf } from './process.ts';

try {
  const database = await openDatabase(need('DATABASE_URL', readConfig().DATABASE_URL), tables, { connections: 2 });
  const applied = await migrate(database);
  process.stderr.write(applied.length > 0 ? `Applied ${applied.join(', ')}\n` : 'The tables are up to date\n');
  await database.close();
} catch (error) {
  process.stderr.write(`migrate: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}
