import { migrate, openDatabase } from '../subgraphs/common/database.ts';
import { borrowDatabase } from './borrow.ts';
import { tables } from './graph.ts';
import { sentenceOf } from './process.ts';

try {
  const borrowed = await borrowDatabase();
  const database = await openDatabase(borrowed.url, tables, { connections: 2 });
  const applied = await migrate(database);
  process.stderr.write(applied.length > 0 ? `Applied ${applied.join(', ')}\n` : 'The tables are up to date\n');
  await database.close();
  await borrowed.giveBack();
} catch (error) {
  process.stderr.write(`migrate: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}
