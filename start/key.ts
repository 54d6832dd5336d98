import { Command, Option } from 'commander';
import type { Bootstrap } from '../platform/identity/bootstrap.ts';
import { enums } from '../schema/enums.ts';
import { planOption, read } from './operator/options.ts';

interface Options extends Pick<Bootstrap, 'credits' | 'plan' | 'modules' | 'disabled'> {
  org?: string;
  unbound?: true;
  user?: string;
  role?: Bootstrap['role'];
  operator?: true;
  expires?: Date;
  revoke?: string;
  workspace?: string;
  tools?: Bootstrap['toolGroups'];
}

const ofOrganization = ['role', 'credits', 'plan', 'modules', 'workspace'];

const command = new Command('key')
  .description('Print a new API key. Creates the organization, user and membership if they do not exist.')
  .option('--org <slug>', 'organization of the key', read.slug)
  .addOption(new Option('--unbound', 'create a key without an organization').conflicts(['org', ...ofOrganization]))
  .addOption(
    new Option('--operator', 'create an operator key, which can only change organization accounts').conflicts([
      'org',
      ...ofOrganization,
    ]),
  )
  .option('--user <email>', 'user of the key', read.email)
  .addOption(
    new Option('--role <role>', 'role in the organization (default: the one of the member, or owner for a new member)').choices(
      enums.Role.values,
    ),
  )
  .option('--credits <amount>', 'credits to add', read.newCredits)
  .addOption(planOption())
  .addOption(new Option('--modules <modules...>', 'replace the modules').choices(enums.Module.values))
  .option('--expires <date>', 'expiry date of the key', read.date)
  .option('--workspace <id>', 'workspace whose site content is all that the key can reach')
  .option('--disabled', 'create the key disabled')
  .addOption(
    new Option(
      '--tools <groups...>',
      'groups of MCP tools that the key may call (default: all groups that change nothing)',
    ).choices(enums.ToolGroup.values),
  )
  .addOption(
    new Option('--revoke <key>', 'revoke a key without an organization, identified by its first 10 characters')
      .argParser(read.prefix)
      .conflicts(['org', 'unbound', 'operator', 'user', 'expires', 'disabled', 'tools', ...ofOrganization]),
  )
  .parse();

const {
  org,
  user,
  role,
  unbound,
  operator = false,
  expires: expiresAt,
  revoke,
  tools: toolGroups,
  workspace: workspaceId,
  ...rest
} = command.opts<Options>();
if (!revoke && !user) command.error('error: name the user of the key by --user <email>');
if (!revoke && !operator && !unbound && !org) command.error('error: say --org <slug>, --unbound or --operator');

// The arguments are valid, so load the product.
const { revokeUnboundKey } = await import('../platform/identity/api-keys.ts');
const { bootstrapKey, createUnboundKey } = await import('../platform/identity/bootstrap.ts');
const { runCommand } = await import('./operator/command.ts');
await runCommand('key', async (services) => {
  if (revoke) return revokeUnboundKey(services, revoke);
  if (org) {
    const options = { ...rest, organization: org, email: user!, role, expiresAt, toolGroups, workspaceId };
    return (await bootstrapKey(services, options)).key;
  }
  return createUnboundKey(services, { email: user!, operator, expiresAt, disabled: rest.disabled, toolGroups });
});
