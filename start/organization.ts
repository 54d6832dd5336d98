import type { EntityManager } from '@mikro-orm/postgresql';
import { Command, Option } from 'commander';
import type { AccountChange } from '../platform/identity/accounts.ts';
import { enums } from '../schema/enums.ts';
import { planOption, read } from './operator/options.ts';

interface Options extends Omit<AccountChange, 'organization' | 'modules'> {
  org: string;
  /** True if the option has no names. */
  modules?: AccountChange['modules'] | true;
}

const { org, modules, ...change } = new Command('organization')
  .description('Change the credits, plan, modules and storage quota of an organization, and print its account as JSON.')
  .requiredOption('--org <organization>', 'id or slug')
  .option('--credits <amount>', 'credits to add; a negative amount takes credits back', read.credits)
  .option('--reason <text>', 'reason of the credits, shown in the ledger', read.text(255))
  .option('--reference <text>', 'payment reference: credits with the same reference are added only once', read.text(100))
  .addOption(planOption())
  .addOption(new Option('--modules [modules...]', 'replace the modules; without names, remove all').choices(enums.Module.values))
  .option('--storage-quota <bytes>', 'bytes that its data may take; 0 restores the quota of the plan', read.bytes)
  .parse()
  .opts<Options>();

// The arguments are valid, so load the product.
const { shellOperator, updateAccount } = await import('../platform/identity/accounts.ts');
const { runCommand } = await import('./operator/command.ts');
await runCommand('organization', async (services) => {
  const em = services.orm.em.fork() as EntityManager;
  const account = { ...change, organization: org, modules: modules === true ? [] : modules };
  return JSON.stringify(await updateAccount({ em, services }, shellOperator(), account));
});
