import { Command, InvalidArgumentError, Option } from 'commander';
import { words } from '../schema/words.ts';
import { readConfig } from '../subgraphs/common/config.ts';
import { type Bootstrap, bootstrapKey } from '../subgraphs/common/identity/bootstrap.ts';
import { checkSlug } from '../subgraphs/common/identity/slugs.ts';
import { borrowDatabase } from './borrow.ts';
import { sentenceOf } from './process.ts';
import { openOwnServices } from './services.ts';

const date = (text: string): Date => {
  const read = new Date(text);
  if (Number.isNaN(read.getTime())) throw new InvalidArgumentError('Write a date as 2030-01-01.');
  return read;
};
const amount = (text: string): number => {
  const read = Number(text);
  if (!(read > 0 && read <= 1e9)) throw new InvalidArgumentError('Credits are a number above 0.');
  return read;
};
const slug = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) throw new InvalidArgumentError('A slug is lower-case letters, digits and hyphens.');
  try {
    checkSlug(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  return text;
};
const email = (text: string): string => {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) throw new InvalidArgumentError('Write an e-mail address.');
  return text;
};

const { org, user, role, expires, ...rest } = new Command('key')
  .description('Create what is missing of an organization, a user and a membership, and print a new API key.')
  .requiredOption('--org <slug>', 'organization', slug)
  .requiredOption('--user <email>', 'user', email)
  .addOption(new Option('--role <role>').choices(words.Role.values).default('owner'))
  .option('--credits <amount>', 'credits to add', amount)
  .addOption(new Option('--plan <plan>').choices(words.Plan.values))
  .addOption(new Option('--modules <modules...>').choices(words.Module.values))
  .option('--expires <date>', 'the key ends to work then', date)
  .option('--disabled', 'make the key disabled')
  .parse()
  .opts<Bootstrap & { org: string; user: string; expires?: Date }>();

try {
  const config = readConfig();
  const database = await borrowDatabase();
  const services = await openOwnServices({ ...config, DATABASE_URL: database.url });
  const { key } = await bootstrapKey(services, { ...rest, organization: org, email: user, role, expiresAt: expires });
  process.stdout.write(`${key}\n`);
  await services.close();
  await database.giveBack();
} catch (error) {
  process.stderr.write(`key: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}
