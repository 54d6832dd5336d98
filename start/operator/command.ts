import type { Services } from '../../platform/subgraph/services.ts';
import { readConfig } from '../process/config.ts';
import { describeError } from '../process/run.ts';
import { openOwnServices } from '../services.ts';
import { openLocalDatabase } from './local-database.ts';

/** Run an operator command on the local database. Prints only its result on standard output. */
export async function runCommand(name: string, work: (services: Services) => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await withServices(work)}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${describeError(error)}\n`);
    process.exitCode = 1;
  }
}

async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const database = await openLocalDatabase();
  try {
    const services = await openOwnServices({ ...readConfig(), DATABASE_URL: database.url });
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  } finally {
    await database.close();
  }
}
