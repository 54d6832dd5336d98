import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { McpServer } from '../mcp-servers/entity.ts';
import { Tool } from '../tools/entity.ts';
import { DeletedSecret, NewSecret, Secret, SecretChange } from './entity.ts';
import * as secrets from './service.ts';
import * as uses from './service.ts';

const AGENT = 'Must be an agent of the organization. Secrets belong to the organization, so this has no other effect.';

@Access('admin')
@Resolver(() => Secret)
export class SecretResolver {
  @ListSize(50)
  @Query(() => [Secret], { description: 'All secrets of the organization without their values, sorted by name.' })
  secrets(@Ctx() scope: RequestScope, @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null) {
    return secrets.listSecrets(scope, agentId);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Secret, { description: 'Create a secret. An organization can have up to 200.' })
  createSecret(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewSecret) input: NewSecret,
    @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null,
  ) {
    return secrets.createSecret(scope, input, agentId);
  }

  @Mutation(() => Secret, { description: 'Replace the value of a secret. Calls that start later use the new value.' })
  updateSecret(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => SecretChange) { value }: SecretChange) {
    return secrets.replaceSecret(scope, id, value);
  }

  @Mutation(() => DeletedSecret, { description: 'Delete a secret. Fails with `CONFLICT` while a tool or an MCP server uses it.' })
  deleteSecret(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null,
  ) {
    return secrets.deleteSecret(scope, id, agentId);
  }

  @FieldResolver(() => String, { description: 'A constant placeholder, which reveals nothing about the value.' })
  maskedValue(): string {
    return '••••••••';
  }

  @ListSize(10)
  @FieldResolver(() => [Tool], { description: 'The tools of all agents that use the secret, sorted by name.' })
  tools(@Ctx() scope: RequestScope, @Root() { name }: Secret): Promise<Tool[]> {
    return uses.toolsOf(scope, name);
  }

  @ListSize(10)
  @FieldResolver(() => [McpServer], { description: 'The MCP servers of all agents that use the secret, sorted by name.' })
  mcpServers(@Ctx() scope: RequestScope, @Root() { name }: Secret): Promise<McpServer[]> {
    return uses.mcpServersOf(scope, name);
  }
}
