import { Command } from 'commander';
import { read } from './operator/options.ts';

const { user: email, organization } = new Command('login')
  .description('Print a link that signs a user in to the dashboard once. Creates the user if it does not exist.')
  .requiredOption('--user <email>', 'user to sign in', read.email)
  .option('--organization <slug>', 'organization to open first; the user must be a member', read.slug)
  .parse()
  .opts<{ user: string; organization?: string }>();

// The arguments are valid, so load the product.
const { createSignInLink } = await import('../platform/identity/sign-in.ts');
const { runCommand } = await import('./operator/command.ts');
const { dashboardUrl, signInUrl } = await import('./operator/command.ts');
await runCommand('login', async (services) => signInUrl(dashboardUrl(), await createSignInLink(services, { email, organization })));
